#if NET6_0_OR_GREATER
global using DisplayScopes.Everywhere;
#endif
