using System;

namespace Stdin
{
    // Reads standard input to its end and says what it got.
    public static class Program
    {
        public static int Main(string[] args)
        {
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
    }
}
