/* Stands for a library of a later version that imports nothing that is known. */
int bare(void) { return 1; }
