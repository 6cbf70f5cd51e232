using System.Threading;

namespace Renamed
{
    // Threads that get their names one by one, or another name where the runtime lets them: .NET 6 and newer do.
    public static class Program
    {
        private static readonly Barrier Turn = new Barrier(2);
        private static Thread worker;

        public static int Main()
        {
            worker = new Thread(Work) { Name = "first" };
            worker.Start();
            Look(); // @begin
            Next();
            Next();
            Look(); // @renamed
            Thread.CurrentThread.Name = "chief";
            Look(); // @chief
            Next();
            worker.Join();
            return 0; // @end
        }

        private static void Work()
        {
            Turn.SignalAndWait();
            if (System.Environment.Version.Major >= 6)
            {
                Thread.CurrentThread.Name = "second";
            }

            Turn.SignalAndWait();
            Turn.SignalAndWait();
        }

        private static void Next()
        {
            Turn.SignalAndWait();
        }

        private static void Look()
        {
        }
    }
}
