using System;

namespace Deep
{
    // A recursion; the argument is its depth. The bottom is a stack of depth + 1 frames of Descend above Main.
    public static class Program
    {
        public static int Main(string[] args)
        {
            int depth = args.Length > 0 ? int.Parse(args[0]) : 200;
            Console.WriteLine("reached " + Descend(0, depth)); // @main
            return 0;
        }

        private static int Descend(int level, int depth)
        {
            if (level == depth)
            {
                return level; // @bottom
            }
            int below = Descend(level + 1, depth); // @recursion
            return below;
        }
    }
}
