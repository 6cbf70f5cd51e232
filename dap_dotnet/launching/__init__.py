"""Starting and finding debuggees: programs and their hosts, the launcher process, output, attach, process lists."""
