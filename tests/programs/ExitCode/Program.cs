using System;

namespace ExitCode
{
    // Ends with the code of its first argument: returned from Main, or by Environment.Exit when the second is "exit".
    public static class Program
    {
        public static int Main(string[] args)
        {
            int code = args.Length > 0 ? int.Parse(args[0]) : 0;
            if (args.Length > 1 && args[1] == "exit")
            {
                Environment.Exit(code); // @exit
            }
            return code; // @return
        }
    }
}
