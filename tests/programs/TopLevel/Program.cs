using System;
using System.Threading;
using System.Threading.Tasks;

// Top-level statements (C# 9, for the newest runtime): the compiler lets a local function that awaits a disposal end
// without coming to its closing brace.
await Task.Yield();
Console.WriteLine("before"); // @before
await Disposes(); // @awaits
Console.WriteLine("after"); // @after

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
