using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace AsyncSteps
{
    // Async methods that are left, after they have resumed, for those that await them; others run all the time.
    public static class Program
    {
        private static volatile bool stop;
        private static volatile bool won;
        private static volatile int rounds;

        public static async Task<int> Main(string[] args)
        {
            Task noise = Noise();
            SpinWait.SpinUntil(() => rounds > 1); // a stop while a first thread begins may hang
            int first = await Outer(1); // @await-outer
            int twice = await Recurse(2); // @await-recurse
            int value = await Values(3); // @await-values
            await Task.WhenAll(Leaf(4), Leaf(5)); // @await-all
            Task<int> hot = Leaf(6); // @hot
            int configured = await Configured(); // @await-configured
            await Failing(); // @await-failing
            await Filtered(); // @await-filtered
            await Counting(); // @await-counting
            await Hurrying(); // @await-hurrying
            await Posting(); // @await-posting
            await Race(); // @await-race
            await Disposing(); // @await-disposing
            Shown(await Task.Run(() => 3)); // @shows
            twice += await Leaf(8) + await Paused(await Leaf(9)); // @await-several
            await DisposingBlock(); // @await-disposing-block
            int blocked = await Task.Run(() => Outer(7).GetAwaiter().GetResult()); // @blocks
            Task<int> early = Unawaited(0);
            while (!early.IsCompleted)
            {
                Thread.Sleep(5);
            }
            configured += await early; // @await-early
            configured += Unawaited(1).Result; // @takes-result
            Unawaited(2).Wait(); // @waits
            Task<int> late = Unawaited(3);
            await Task.Delay(100);
            await Task.WhenAll(late, Task.Delay(1)); // @await-late
            stop = true; // @stop
            await noise;
            Console.WriteLine("sum " + (first + twice + value + configured + blocked + await hot)); // @end
            return 0;
        } // @main-close

        private static async Task Noise()
        {
            int round = 0;
            while (!stop)
            {
                await Task.Delay(1);
                rounds = ++round; // @noise
            }
        }

        private static async Task<int> Paused(int value)
        { // @paused-open
            await Task.Yield();
            return value; // @paused-return
        } // @paused-close

        private static void Shown(int value)
        { // @shown-open
            won = value > 3;
        }

        private sealed class Resource : IAsyncDisposable
        {
            public async ValueTask DisposeAsync()
            { // @dispose-open
                await Task.Delay(1); // @dispose
            } // @dispose-close
        }

        private static async Task Disposing()
        {
            await using var resource = new Resource(); // @resource
            await Task.Yield(); // @disposes
        } // @disposing-close

        private static async Task DisposingBlock()
        {
            await using (new Resource())
            {
                await Task.Yield(); // @block-yield
            } // @block-close
            await Task.Yield(); // @block-after
        }

        private static async Task<int> Outer(int value)
        { // @outer-open
            int inner = await Leaf(value); // @await-leaf
            return inner + 1; // @outer-return
        } // @outer-close

        private static async Task<int> Leaf(int value)
        { // @leaf-open
            await Task.Delay(20); // @leaf-first
            await Task.Yield(); // @leaf-second
            return value += 0; // @leaf-return
        } // @leaf-close

        private static async Task<int> Recurse(int depth)
        { // @recurse-open
            int below = 0; // @recurse-begin
            if (depth > 0)
            {
                below = await Recurse(depth - 1); // @recurse-await
            }
            await Task.Delay(5); // @recurse-delay
            return below + depth; // @recurse-return
        } // @recurse-close

        private static async ValueTask<int> Values(int value)
        {
            await Task.Delay(50); // @values-delay
            return value; // @values-return
        } // @values-close

        private static async Task<int> Configured()
        {
            return await Leaf(8).ConfigureAwait(false); // @await-configured-leaf
        } // @configured-close

        private static async Task<int> Unawaited(int value)
        {
            await Task.Delay(20).ConfigureAwait(false);
            if (value == 0)
            {
                await Task.Yield(); // @for-later
            }
            else if (value == 1)
            {
                await Task.Yield(); // @for-result
            }
            else if (value == 2)
            {
                await Task.Yield(); // @for-wait
            }
            else
            {
                await Task.Yield(); // @for-all
            }
            return value; // @unawaited-return
        } // @unawaited-close

        private static async Task Failing()
        {
            try
            {
                await Throws(); // @await-throws
            }
            catch (InvalidOperationException) // @failing-catch
            {
                Console.WriteLine("caught"); // @failing-caught
            }
        }

        private static async Task Filtered()
        {
            await Task.Delay(5);
            try
            {
                try
                {
                    throw new InvalidOperationException("filtered"); // @filter-throw
                }
                finally
                {
                    Console.Write(""); // @filter-finally
                }
            }
            catch (InvalidOperationException error) when (error.Message == "filtered") // @filter
            {
                Console.Write(""); // @filter-body
            }
            Console.Write(""); // @filter-after
        }

        private static async Task Race()
        {
            var other = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
            Task racer = Racer(other);
            await Task.WhenAny(racer, other.Task); // @race
            won = true;
            await racer; // @await-racer
        }

        private static async Task Racer(TaskCompletionSource<int> other)
        {
            await Task.Delay(50);
            other.SetResult(1); // @racer-loses
            SpinWait.SpinUntil(() => won, 5000); // @racer-waits
            await Task.Yield(); // @racer-yields
            Console.Write(""); // @racer-end
        } // @racer-close

        private static async Task Counting()
        {
            await foreach (int number in Counted()) // @counting
            { // @counting-open
                Console.Write("");
            }
        } // @counting-close

        private static async IAsyncEnumerable<int> Counted()
        { // @counted-open
            yield return 1; // @counted-first
            await Task.Yield();
            yield return 2; // @counted-second
        } // @counted-close

        private static Task<int> posted;

        private static async Task Posting()
        {
            SynchronizationContext.SetSynchronizationContext(new AfterAWhile());
            posted = Posted();
            int value = await posted; // @await-posted
            Console.Write(value < 0 ? "" : "");
        }

        private static async Task<int> Posted()
        {
            await Task.Delay(1).ConfigureAwait(false);
            FieldInfo awaiter = typeof(Task).GetField("m_continuationObject", BindingFlags.Instance | BindingFlags.NonPublic);
            SpinWait.SpinUntil(() => posted != null && awaiter.GetValue(posted) != null, 20000);
            return 1; // @posted
        } // @posted-close

        private static async Task Hurrying()
        {
            await foreach (int number in Hurried()) // @hurrying
            { // @hurrying-open
                Console.Write("");
            }
        }

        // Gives its element before what asks for it has come back from asking.
        private static async IAsyncEnumerable<int> Hurried()
        {
            await new AnotherThread();
            yield return 1; // @hurried
        }

        private static async Task Throws()
        {
            await Task.Delay(50);
            throw new InvalidOperationException("thrown"); // @throws
        }
    }
    // What awaits goes on when the method that it has awaited is long over.
    public sealed class AfterAWhile : SynchronizationContext
    {
        public override void Post(SendOrPostCallback callback, object state)
        {
            var thread = new Thread(() =>
            {
                Thread.Sleep(100);
                callback(state);
            });
            thread.Start();
        }
    }

    // What awaits it goes on in a thread of its own, to that thread's end, before it has suspended here.
    public struct AnotherThread : INotifyCompletion
    {
        public bool IsCompleted => false;

        public AnotherThread GetAwaiter() => this;

        public void GetResult()
        {
        }

        public void OnCompleted(Action continuation)
        {
            var thread = new Thread(() => continuation());
            thread.Start();
            thread.Join();
        }
    }
}
