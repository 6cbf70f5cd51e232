using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Signals
{
    // Kills itself with the signal whose number is its first argument; without one, waits (60 seconds at most) for SIGTERM or
    // SIGINT, says which event it saw and ends with 0.
    public static class Program
    {
        public static int Main(string[] args)
        {
            if (args.Length > 0)
            {
                Console.WriteLine("raising " + args[0]); // @raise
                kill(getpid(), int.Parse(args[0]));
                Thread.Sleep(5000);
                return 3;
            }
            using ManualResetEventSlim seen = new ManualResetEventSlim();
            using ManualResetEventSlim done = new ManualResetEventSlim();
            AppDomain.CurrentDomain.ProcessExit += (sender, arguments) =>
            {
                Console.WriteLine("process exit"); // @process-exit
                seen.Set();
            };
            Console.CancelKeyPress += (sender, arguments) =>
            {
                arguments.Cancel = true;
                Console.WriteLine("cancel"); // @cancel
                seen.Set();
            };
            Console.WriteLine("READY " + getpid()); // @ready
            return seen.Wait(TimeSpan.FromSeconds(60)) ? 0 : 4; // @wait
        }

        [DllImport("libc")]
        private static extern int getpid();

        [DllImport("libc")]
        private static extern int kill(int pid, int signal);
    }
}
