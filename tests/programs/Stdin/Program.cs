using System;

namespace Stdin
{
    // Reads standard input to its end and says what it got.
    public static class Program
    {
        public static int Main(string[] args)
        {
            if (args.Length > 0 && args[0] == "keys")
            {
                Keys();
            }
            int lines = 0;
            string line;
            while ((line = Console.ReadLine()) != null)
            {
                lines++;
                Console.WriteLine("line: " + line); // @line
            }
            Console.WriteLine("end of input after " + lines + " lines"); // @end
            return lines;
        }

        // Does what only a terminal can do.
        private static void Keys()
        {
            Console.ForegroundColor = ConsoleColor.Red;
            Console.WriteLine(Console.WindowWidth + "x" + Console.WindowHeight);
            Console.ResetColor();
            Console.WriteLine("redirected: " + (Console.IsInputRedirected || Console.IsOutputRedirected));
            Console.WriteLine("key: " + Console.ReadKey(true).KeyChar);
        }
    }
}
