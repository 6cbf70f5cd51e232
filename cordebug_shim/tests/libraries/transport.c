/* Stands for libmscordbi.so: its traffic goes through read and write. */
#include <unistd.h>

long transport_receive(int fd, void *buffer, unsigned long size) { return read(fd, buffer, size); }
long transport_send(int fd, const void *buffer, unsigned long size) { return write(fd, buffer, size); }
int transport_fault(volatile int *address) { return *address; }
