using System;
using System.IO;
using System.Threading;

namespace Spin
{
    // Runs until the file named by its first argument exists (looked at every 20 ms), for at most the seconds of its second
    // argument (60), so that no test leaves it behind. Prints READY with its pid once it runs, and its rounds at the end. Makes
    // the file that its third argument names when it has come to its end.
    public static class Program
    {
        private static long rounds;

        public static int Main(string[] args)
        {
            string stopFile = args.Length > 0 ? args[0] : null;
            int seconds = args.Length > 1 ? int.Parse(args[1]) : 60;
            DateTime deadline = DateTime.UtcNow.AddSeconds(seconds);
            Console.WriteLine("READY " + System.Diagnostics.Process.GetCurrentProcess().Id);
            while (DateTime.UtcNow < deadline && (stopFile == null || !File.Exists(stopFile)))
            {
                Work((int)(rounds % 1000)); // @work
                Thread.Sleep(20); // @sleep
            }
            Console.WriteLine("rounds " + (rounds > 0 ? "some" : "none")); // @end
            if (args.Length > 2)
            {
                File.WriteAllText(args[2], "");
            }
            return 0;
        }

        private static void Work(int round)
        {
            int squared = round * round;
            rounds++; // @round
            GC.KeepAlive(squared);
        }
    }
}
