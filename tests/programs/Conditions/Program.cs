using System;
using System.Threading;

public static class Program
{
    private static readonly object Gate = new object();
    private static readonly ManualResetEvent Taken = new ManualResetEvent(false);
    private static int touched;
    private static long sum;

    public static bool Sleeps() { while (sum >= 0) { Thread.Sleep(1); } return true; }
    public static bool Spins() { while (Environment.TickCount64 >= 0) { } return true; }
    public static bool Locked() { lock (Gate) { return sum >= 0; } }
    public static bool Throws() { throw new InvalidOperationException("on purpose"); }
    public static bool Touches() { touched++; return touched > 1000; }

    public static int Main()
    {
        var holder = new Thread(() => { lock (Gate) { Taken.Set(); Thread.Sleep(5000); } });
        holder.IsBackground = true;
        holder.Start();
        Taken.WaitOne();
        for (int round = 0; round < 4; round++)
        {
            Work(round);
        }
        Console.WriteLine("sum " + sum + ", touched " + touched);
        return 0;
    }

    private static void Work(int round)
    {
        sum += round; // @work
    }
}
