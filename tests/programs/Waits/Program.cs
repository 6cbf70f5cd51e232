using System;
using System.Threading;

// Objects whose texts wait, for a while or for another thread, and a thread that counts how far it has come.
public class Sleeper
{
    public override string ToString()
    {
        Thread.Sleep(6000);
        return "slept";
    }
}

public class Locked
{
    public override string ToString()
    {
        lock (Program.Gate)
        {
            return "had the lock";
        }
    }
}

public static class Program
{
    public static readonly object Gate = new object();
    public static readonly ManualResetEventSlim IsLocked = new ManualResetEventSlim();
    private static volatile bool isOver;
    private static long count;

    public static int Main(string[] arguments)
    {
        new Thread(Count) { IsBackground = true }.Start();
        IsLocked.Wait();
        if (arguments[0] == "thrown")
        {
            try
            {
                Throw(new Locked(), 7);
            }
            catch (InvalidOperationException)
            {
                isOver = true;
            }
            return 0;
        }
        Look(arguments[0] == "sleeper" ? (object)new Sleeper() : new Locked());
        return 0;
    }

    // For a debugger to call: a loop that some runtimes cannot stop.
    public static long Turn(int milliseconds)
    {
        long turns = 0;
        long end = Environment.TickCount64 + milliseconds;
        while (Environment.TickCount64 < end)
        {
            turns++;
        }
        return turns;
    }

    private static void Throw(object waiting, int number)
    {
        throw new InvalidOperationException(waiting.GetType().Name + number);
    }

    private static void Look(object waiting)
    {
        int number = 42;
        isOver = number < 0; // @here
        number += 1; // @next
        isOver = true;
        GC.KeepAlive(waiting);
        Console.WriteLine(number);
    }

    private static void Count()
    {
        lock (Gate)
        {
            IsLocked.Set();
            while (!isOver)
            {
                count++;
                Thread.Sleep(1);
            }
        }
    }
}
