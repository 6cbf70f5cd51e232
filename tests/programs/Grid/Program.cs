using System;
using System.Runtime.CompilerServices;

namespace Grid
{
    // Reads and stores elements of arrays with several dimensions, in a method that the runtime does not optimise.
    public static class Program
    {
        public static int Main()
        {
            int[,] grid = new int[3, 3];
            Fill(grid);
            return grid[1, 2]; // @end
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Fill(int[,] grid)
        {
            grid[1, 1] = Get(grid[0, 0]); // @stores
            grid[1, 2] = grid[1, 1] + 1; // @reads
            Console.WriteLine(grid[1, 2]); // @writes
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Get(int value)
        {
            return value + 1; // @get
        }
    }
}
