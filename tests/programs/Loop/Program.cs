using System;

namespace Loop
{
    // A hot loop that calls a method: conditions, hit counts, steps. The first argument is the number of rounds.
    public static class Program
    {
        private static long total;

        public static int Main(string[] args)
        {
            int rounds = args.Length > 0 ? int.Parse(args[0]) : 100; // @start
            for (int i = 0; i < rounds; i++)
            {
                int square = Square(i); // @call
                total += square; // @loop
            } // @loop-end
            Console.WriteLine("total " + total); // @after
            return 0;
        }

        private static int Square(int value)
        {
            int result = value * value; // @square
            return result; // @square-return
        }
    }
}
