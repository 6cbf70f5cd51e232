using System;
using System.Diagnostics;

namespace BreakCalls
{
    public static class Program
    {
        public static int Main(string[] args)
        {
            for (int round = 0; round < 2; round++)
            {
                Console.WriteLine("round"); // @before
                Debugger.Break(); // @break
            }
            for (int round = 0; round < 3; round++)
            {
                if (round == 2) Debugger.Break(); // @maybe
            }
            return 0;
        }
    }
}
