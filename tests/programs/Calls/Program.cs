using System;
using System.Collections.Generic;
using System.Threading;

// What an expression's calls meet: overridden members, types that are not initialised yet, getters that throw or wait.
public class Base
{
    public virtual string Who() => "base";

    public virtual int Number => 1;

    public virtual int Slow()
    {
        Console.WriteLine("slow");
        return 1;
    }

    public override string ToString() => "I am the base";
}

public class Derived : Base
{
    public static int Shared = 5;
    private static readonly Func<int, int> Thrice = number => number * 3;
    private readonly Func<int, int> twice = number => number * 2;
    private readonly Action nothing = null;

    public Func<string> Greeting => () => "hello from " + Who();

    public static Derived Make() => new Derived();

    public override int Slow() => 2;

    public override string Who() => "derived";

    public override int Number => 2;

    public override string ToString() => "I am derived";

    public void Stand()
    {
        Console.WriteLine(base.Who() + Number); // @derived
    }
}

public static class Settings
{
    public static readonly int Limit = Convert.ToInt32("10");
    public static string Name = "cfg";
    public static string[] Words = { "a", "b" };
    public static int Zero = 0;

    public static string Title => Name + Limit;
}

public class Holder<T>
{
    public static readonly List<T> Items = new List<T> { default };
}

public static class Broken
{
    public static readonly int Value = int.Parse("no number");
}

#if NET8_0_OR_GREATER
public class Scaled(int first, string unit)
{
    public string Show()
    {
        int twice = first * 2;
        return twice + unit; // @primary
    }
}

#endif
public static class Program
{
    private static volatile bool isOver;
    private static long count;

    private static int Fails => throw new InvalidOperationException("no such thing");

    private static int Waits()
    {
        Thread.Sleep(9000);
        return 7;
    }

    private static int WaitsForCounter()
    {
        long before = count;
        while (Volatile.Read(ref count) == before)
        {
            Thread.Yield();
        }

        return 9;
    }

    private static int Slow()
    {
        Thread.Sleep(300);
        return 8;
    }

    public static int Main()
    {
        var counter = new Thread(Count) { IsBackground = true };
        counter.Start();
        while (Volatile.Read(ref count) == 0)
        {
            Thread.Yield();
        }

        var derived = new Derived();
        derived.Stand();
#if NET8_0_OR_GREATER
        new Scaled(4, "cm").Show();
#endif
        int local = 3;
        Console.WriteLine(local); // @main
        local += Slow(); // @next
        isOver = true;
        counter.Join();
        local += Settings.Zero + Fallible();
        Console.WriteLine(Settings.Title + Holder<int>.Items.Count + local);
        return 0;
    }

    private static int Fallible()
    {
        try
        {
            return Fails + Broken.Value;
        }
        catch (InvalidOperationException)
        {
            return 1;
        }
    }

    private static void Count()
    {
        while (!isOver)
        {
            Interlocked.Increment(ref count);
            Thread.Yield(); // .NET 8 cannot stop a loop without a call
        }
    }
}
