/* libssl.so.1.1 for .NET Core 3.1 and .NET 5 on a system that has only OpenSSL 3.
 *
 * Those runtimes load "libssl.so.1.1" by name and look every function up in it and in what it is linked to. OpenSSL 3
 * still has all but three of them, under the same names and with compatible signatures; those three are defined here in
 * terms of their successors. Prototypes are declared by hand, so that OpenSSL's headers need not be installed.
 *
 * Built by tests/support/openssl11/__init__.py; for tests only.
 */
#include <stddef.h>

typedef struct evp_md_st EVP_MD;
typedef struct ssl_st SSL;
typedef struct x509_st X509;

extern void ERR_new(void);
extern void ERR_set_debug(const char *file, int line, const char *function);
extern void ERR_set_error(int library, int reason, const char *format, ...);
extern int EVP_MD_get_size(const EVP_MD *digest);
extern X509 *SSL_get1_peer_certificate(const SSL *ssl);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void ERR_put_error(int library, int function_code, int reason, const char *file, int line);
EXPORTED int EVP_MD_size(const EVP_MD *digest);
EXPORTED X509 *SSL_get_peer_certificate(const SSL *ssl);

void ERR_put_error(int library, int function_code, int reason, const char *file, int line)
{
    (void)function_code; /* OpenSSL 3 has no function codes. */
    ERR_new();
    ERR_set_debug(file, line, NULL);
    ERR_set_error(library, reason, NULL);
}

int EVP_MD_size(const EVP_MD *digest)
{
    return EVP_MD_get_size(digest);
}

X509 *SSL_get_peer_certificate(const SSL *ssl)
{
    return SSL_get1_peer_certificate(ssl);
}
