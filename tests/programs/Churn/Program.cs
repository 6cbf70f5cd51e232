using System;
using System.IO;

namespace Churn
{
    // Goes round through the methods M0 to M7 without a pause until the file that its first argument names exists (for at most
    // the seconds of its third), with phase 1; then as many rounds as its second argument says, with phase 2.
    public static class Program
    {
        private static long sum;

        public static int Main(string[] args)
        {
            DateTime deadline = DateTime.UtcNow.AddSeconds(int.Parse(args[2]));
            Console.WriteLine("READY");
            int rounds = 0;
            while (!File.Exists(args[0]) && DateTime.UtcNow < deadline)
            {
                Round(1, rounds++);
            }
            for (int round = 0; round < int.Parse(args[1]); round++)
            {
                Round(2, round);
            }
            Console.WriteLine("rounds " + (rounds > 0 ? "some" : "none") + (sum == 0 ? " without a sum" : ""));
            return 0;
        }

        private static void Round(int phase, int round)
        {
            sum++; // @tick
            M0(phase, round);
            M1(phase, round);
            M2(phase, round);
            M3(phase, round);
            M4(phase, round);
            M5(phase, round);
            M6(phase, round);
            M7(phase, round);
        }

        private static void M0(int phase, int round)
        {
            sum += round; // @a0
            sum -= phase; // @b0
            sum ^= 0; // @c0
        }

        private static void M1(int phase, int round)
        {
            sum += round; // @a1
            sum -= phase; // @b1
            sum ^= 1; // @c1
        }

        private static void M2(int phase, int round)
        {
            sum += round; // @a2
            sum -= phase; // @b2
            sum ^= 2; // @c2
        }

        private static void M3(int phase, int round)
        {
            sum += round; // @a3
            sum -= phase; // @b3
            sum ^= 3; // @c3
        }

        private static void M4(int phase, int round)
        {
            sum += round; // @a4
            sum -= phase; // @b4
            sum ^= 4; // @c4
        }

        private static void M5(int phase, int round)
        {
            sum += round; // @a5
            sum -= phase; // @b5
            sum ^= 5; // @c5
        }

        private static void M6(int phase, int round)
        {
            sum += round; // @a6
            sum -= phase; // @b6
            sum ^= 6; // @c6
        }

        private static void M7(int phase, int round)
        {
            sum += round; // @a7
            sum -= phase; // @b7
            sum ^= 7; // @c7
        }
    }
}
