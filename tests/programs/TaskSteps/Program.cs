using System;
using System.Diagnostics.Tracing;
using System.Threading;
using System.Threading.Tasks;

namespace TaskSteps
{
    // Delegates that tasks run are left, for those that await the tasks; the same threads run others all the time.
    public static class Program
    {
        private static volatile bool stop;
        private static volatile int rounds;

        public static async Task Main(string[] args)
        {
            Task noise = Task.WhenAll(Noise(), Noise());
            SpinWait.SpinUntil(() => rounds > 1); // a stop while a first thread begins may hang
            int value = await Task.Run(() => // @await-value
            {
                Work(); // @value
                return 1; // @value-return
            });
            await Task.Run(() => Work()); // @await-call
            await Task.Run(() => Delayed()); // @await-unwrapped
            value += await Task.Run(() => 1).ContinueWith(task => // @await-continued
            {
                Work(); // @continued
                return task.Result;
            }); // @continued-end
            await Task.Factory.StartNew(() => // @await-long
            {
                Work(); // @long
            }, TaskCreationOptions.LongRunning); // @long-close
            await Task.Run(async () => // @await-async
            {
                Work(); // @async
                await Task.CompletedTask;
            }); // @async-close
            Task<int> early = Task.Run(() =>
            {
                Work(); // @early
                return 2;
            });
            Thread.Sleep(200);
            value += await early; // @await-early
            Task<Task<int>> hidden = Task.Factory.StartNew(() =>
            {
                Work(); // @nested
                return Later();
            });
            value += await await hidden; // @await-nested
            Task unwrapped = Task.Run(() =>
            {
                Work(); // @unwrapped
                return Delayed();
            });
            await Task.Delay(200);
            await unwrapped; // @await-unwrapped-later
            value += Task.Run(() => // @takes-result
            {
                Work(); // @blocked
                return 3;
            }).Result;
            var other = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
            Task racer = Task.Run(() =>
            {
                Work(); // @loses
                other.SetResult(1); // @loses-set
                SpinWait.SpinUntil(() => Volatile.Read(ref won) != 0, 5000); // @loses-waits
            }); // @loses-close
            await Task.WhenAny(racer, other.Task); // @await-race
            Volatile.Write(ref won, 1);
            await racer; // @await-racer
            var late = new LateUnwrapping();
            Task raced = Task.Run(() =>
            {
                Work(); // @raced
                late.Ending.Set();
                return Delayed();
            });
            late.Dispose();
            await raced; // @await-raced
            late = new LateUnwrapping();
            if (args.Length > 0)
                Thread.Sleep(int.Parse(args[0])); // until the library is compiled anew, with its events
            Task<int> racedAsync = Task.Run(async () =>
            {
                Work(); // @raced-async
                await Task.CompletedTask;
                late.Ending.Set();
                return 1;
            });
            late.Dispose();
            value += await racedAsync; // @await-raced-async
            var ended = new CountdownEvent(2);
            ThreadPool.QueueUserWorkItem(_ =>
            {
                Work(); // @queued
                ended.Signal(); // @queued-last
            }); // @queued-close
            using (new Timer(_ =>
            {
                Work(); // @timer
                ended.Signal(); // @timer-last
            }, null, 1, Timeout.Infinite)) // @timer-close
                ended.Wait();
            Thread.Sleep(1000); // the pool's threads run others' code meanwhile
            stop = true; // @waited
            await noise;
            Console.WriteLine("value " + value); // @end
        }

        // Lets Task.Run, on the thread that has made this, go on only when the delegate has ended.
        private sealed class LateUnwrapping : EventListener
        {
            public readonly ManualResetEventSlim Ending = new ManualResetEventSlim();
            private readonly int maker = Environment.CurrentManagedThreadId;

            protected override void OnEventSourceCreated(EventSource source)
            {
                if (source.Name == "System.Threading.Tasks.TplEventSource")
                    EnableEvents(source, EventLevel.Informational, (EventKeywords)8); // AsyncCausalityOperation
            }

            protected override void OnEventWritten(EventWrittenEventArgs data)
            {
                bool isUnwrapping = data.EventName == "TraceOperationBegin" && "Task.Unwrap".Equals(data.Payload[1]);
                if (isUnwrapping && Environment.CurrentManagedThreadId == maker)
                {
                    Ending.Wait(20000);
                    Thread.Sleep(100); // the delegate has only to return
                }
            }
        }

        private static int won;

        private static async Task Noise()
        {
            while (!stop)
            {
                await Task.Run(() => Work());
                await Task.Run(() => Delayed());
                rounds = rounds + 1;
            }
        }

        private static void Work()
        {
        }

        private static async Task Delayed()
        { // @delayed-open
            await Task.Delay(1); // @delayed
        }

        private static async Task<int> Later()
        {
            await Task.Delay(1);
            return 1;
        }
    }
}
