/* Stands for libmscordaccore.so. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

long data_read(int fd, void *buffer, unsigned long size, long offset) { return pread64(fd, buffer, size, offset); }
int data_close(int fd) { return close(fd); }
void *data_map(unsigned long size) { return mmap64(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
int data_unmap(void *address, unsigned long size) { return munmap(address, size); }
int data_fault(volatile int *address) { return *address; }
