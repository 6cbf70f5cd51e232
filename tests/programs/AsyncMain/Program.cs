using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace AsyncMain
{
    // Its Main has left the main thread; what the argument names ends it.
    public static class Program
    {
        private static readonly ManualResetEvent Idle = new ManualResetEvent(false);

        public static async Task Main(string[] args)
        {
            new Thread(Wait) { Name = "idle", IsBackground = true }.Start();
            await Task.Delay(1);
            Hold(args[0]);
        }

        private static void Hold(string end)
        {
            Console.WriteLine("READY");
            for (int round = 0; !File.Exists(end); round++) // @hold
            {
            }
        }

        private static void Wait()
        {
            Idle.WaitOne(); // @idle
        }
    }
}
