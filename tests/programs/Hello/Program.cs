using System;

namespace Hello
{
    // Says what it was given: arguments, an environment variable, the working folder. Its first argument is its exit code.
    public static class Program
    {
        public static int Main(string[] args)
        {
            Console.WriteLine("Hello, world"); // @hello
            foreach (string argument in args)
            {
                Console.WriteLine("argument: " + argument); // @argument
            }
            Console.WriteLine("HELLO_VARIABLE=" + (Environment.GetEnvironmentVariable("HELLO_VARIABLE") ?? "<not set>"));
            Console.WriteLine("folder: " + Environment.CurrentDirectory);
            Console.Error.WriteLine("to standard error");
            int code = args.Length > 0 && int.TryParse(args[0], out int number) ? number : 0;
            return code; // @return
        }
    }
}
