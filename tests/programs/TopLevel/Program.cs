using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

// Top-level statements (C# 9, for the newest runtime): the compiler lets a local function that awaits a disposal end
// without coming to its closing brace.
await Task.Yield();
Console.WriteLine("before"); // @before
await Disposes(); // @awaits
Console.WriteLine("after"); // @after
Console.WriteLine(Compare(Comparer<int>.Default, 3, 4) + Sum(new Metres(1), new Metres(2)).Count);

var marked = new Marked(1);
var point = new Point(1, 2);
var pair = new Pair<int>(3);
Console.WriteLine((marked with { Number = 2 }).Number + (point with { X = 3 }).X + (pair with { Value = 4 }).Value); // @with
Console.WriteLine(string.Concat("a", "b", pair.Value.ToString(), "d", "e")); // @concat
Console.WriteLine();

static int Compare<T>(IComparer<T> comparer, T left, T right)
{
    return comparer.Compare(left, right); // @generic-call
}

static T Sum<T>(T left, T right)
    where T : ISummed<T>
{
    return left + right; // @generic-operator
}

static async Task Disposes()
{
    await using var resource = new Resource();
    await Task.Yield();
    Console.WriteLine("within");
}

public class Resource : IAsyncDisposable
{
    public ValueTask DisposeAsync()
    {
        ValueTask disposal = Complete();
        SpinWait.SpinUntil(() => disposal.IsCompleted); // so that its result is taken at once, on this thread
        return disposal;
    }

    private static async ValueTask Complete()
    {
        await Task.Yield();
    } // @completed
}

public record Point(int X, int Y);

public record Marked(int Number)
{
    protected Marked(Marked other)
    {
        Number = other.Number; // @copies
    }
}

public record Pair<T>(T Value)
{
    protected Pair(Pair<T> other)
    {
        Value = other.Value;
    }
}

public interface ISummed<T>
    where T : ISummed<T>
{
    static abstract T operator +(T left, T right);
}

public readonly record struct Metres(int Count) : ISummed<Metres>
{
    public static Metres operator +(Metres left, Metres right)
    {
        return new Metres(left.Count + right.Count); // @plus
    }
}
