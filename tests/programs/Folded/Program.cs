using System;
using System.Runtime.CompilerServices;

namespace Folded
{
    // Statements of which optimised code has nothing left.
    public static class Program
    {
        public static void Main()
        {
            Run(1);
            Run(2); // @again
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Run(int number)
        {
            int first = 1;
            int second = first + 1; // @folded
            if (second == 2) // @known
                Console.WriteLine(number); // @written
        }
    }
}
