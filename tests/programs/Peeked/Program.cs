using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

// A service at work: threads that wait, count, throw and allocate, two that wait for each other, and pending requests.
public class Order
{
    public string Name;
    public int Number;
    public List<int> Lines = new List<int> { 1, 2, 3 };

    public int Total => Number * 2;
}

public static class Program
{
    public static readonly Dictionary<string, Order> Orders = new Dictionary<string, Order>();
    public static readonly TaskCompletionSource<int> Answer = new TaskCompletionSource<int>();
    public static readonly object Left = new object();
    public static readonly object Right = new object();
    public static byte[][] Ballast;
    public static long Requests;
    private static readonly ManualResetEventSlim End = new ManualResetEventSlim();

    public static int Main(string[] arguments)
    {
        int waiters = arguments.Length > 0 ? int.Parse(arguments[0]) : 4;
        int megabytes = arguments.Length > 1 ? int.Parse(arguments[1]) : 0;
        int orders = arguments.Length > 2 ? int.Parse(arguments[2]) : 10;
        Ballast = new byte[megabytes][];
        for (int i = 0; i < megabytes; i++)
        {
            Ballast[i] = new byte[1 << 20];
            Array.Fill(Ballast[i], (byte)i);
        }
        for (int i = 0; i < orders; i++)
        {
            Orders["order" + i] = new Order { Name = "order " + i, Number = i };
        }
        for (int i = 0; i < waiters; i++)
        {
            int number = i;
            Start("waiter" + i, () => WaitForEnd(number, "waiter " + number));
        }
        Start("counter", Count);
        Start("thrower", Throw);
        using var both = new CountdownEvent(2);
        Start("lefty", () => Lock(Left, Right, both));
        Start("righty", () => Lock(Right, Left, both));
        Task outer = HandleAsync(7);
        both.Wait();
        Thread.Sleep(100);
        Console.WriteLine("ready");
        Console.In.ReadToEnd();
        End.Set();
        return 0;
    }

    private static void Start(string name, ThreadStart work)
    {
        new Thread(work) { Name = name, IsBackground = true }.Start();
    }

    private static void WaitForEnd(int number, string text)
    {
        var order = new Order { Name = text, Number = number };
        End.Wait(); // @wait
        GC.KeepAlive(order);
    }

    private static void Count()
    {
        while (!End.IsSet)
        {
            Requests++; // @count
            if (Requests % 1_000_000 == 0)
            {
                Thread.Yield(); // .NET 8 cannot stop a loop for a debugger that calls nothing
            }
        }
    }

    private static void Throw()
    {
        while (!End.IsSet)
        {
            try
            {
                throw new InvalidOperationException("round " + Requests);
            }
            catch (InvalidOperationException)
            {
                Thread.Sleep(1);
            }
        }
    }

    private static void Lock(object first, object second, CountdownEvent both)
    {
        lock (first)
        {
            both.Signal();
            Thread.Sleep(50);
            lock (second) // @deadlock
            {
                Console.WriteLine("never");
            }
        }
    }

    private static async Task<int> HandleAsync(int request)
    {
        int answer = await AskAsync(request * 10); // @outer
        return answer + 1;
    }

    private static async Task<int> AskAsync(int question)
    {
        int answer = await Answer.Task; // @inner
        return answer + question;
    }
}
