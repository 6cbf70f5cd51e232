using System;
using System.Linq;

namespace HotLoop
{
    // A loop that is passed many times, and several lambdas on one line. The first argument is the number of rounds.
    public static class Program
    {
        private static long Sum(int rounds)
        {
            long sum = 0;
            for (int i = 0; i < rounds; i++)
            {
                sum += i % 7; // @hot
            }
            return sum; // @summed
        }

        public static int Main(string[] args)
        {
            int rounds = args.Length > 0 ? int.Parse(args[0]) : 1000;
            int[] squares = Enumerable.Range(1, 4).Where(n => n % 2 == 0).Select(n => n * n).ToArray(); // @lambdas
            Console.WriteLine($"{string.Join(" ", squares)}, {Sum(rounds)}"); // @write
            return 0;
        }
    }
}
