using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace AsyncFates
{
    // Exceptions that leave async methods: handled by who awaits them, by nobody, or not to be known at the throw.
    public static class Program
    {
        private static Thread mainThread;

        public static async Task<int> Main(string[] args)
        {
            mainThread = Thread.CurrentThread;
            foreach (string how in args)
            {
                await Run(how);
            }
            return 0;
        }

        private static async Task Run(string how)
        {
            Task stored;
            switch (how)
            {
                case "main":
                    await Outer(Fail);
                    break;
                case "main-at-once":
                    await FailAtOnce();
                    break;
                case "value-task":
                    await FailingValue();
                    break;
                case "foreach":
                    await foreach (int number in Numbers())
                    {
                        Console.WriteLine(number);
                    }
                    break;
                case "when-all":
                    await Task.WhenAll(Fail(), Task.Delay(1)).ConfigureAwait(false);
                    break;
                case "other-type":
                    await GuardedOtherwise();
                    break;
                case "filter":
                    await Filtered(false);
                    break;
                case "stored":
                    stored = Fail();
                    await Task.Delay(200);
                    await stored;
                    break;
                case "void":
                    Forgotten();
                    await Task.Delay(10_000);
                    break;
                case "run":
                    await Started(Outer);
                    break;
                case "handled-run":
                    await Started(Guarded);
                    break;
                case "handled":
                    await Guarded(Fail);
                    break;
                case "handled-generic":
                    await Generic<InvalidOperationException>(Fail);
                    break;
                case "handled-by-all":
                    await GuardedByAll();
                    break;
                case "handled-above":
                    await Guarded(() => Outer(Fail));
                    break;
                case "handled-at-once":
                    await Guarded(FailAtOnce);
                    break;
                case "handled-filter":
                    await Filtered(true);
                    break;
                case "handled-later":
                    stored = Fail();
                    await Task.Delay(200);
                    await Guarded(() => stored);
                    break;
                case "handled-when-all":
                    await Guarded(() => Task.WhenAll(Task.Delay(1), Outer(Fail)));
                    break;
                case "handled-when-any":
                    stored = await Task.WhenAny(Fail(), Task.Delay(10_000));
                    Console.WriteLine(stored.Exception.Message);
                    break;
                case "handled-foreach":
                    await Guarded(async () =>
                    {
                        await foreach (int number in Numbers())
                        {
                            Console.WriteLine(number);
                        }
                    });
                    break;
                case "handled-wait":
                    try
                    {
                        Task.Run(Fail).Wait();
                    }
                    catch (AggregateException)
                    {
                    }
                    break;
                case "handled-continuation":
                    await Fail().ContinueWith(done => done.Exception);
                    break;
                case "handled-run-at-once":
                    try
                    {
                        await Task.Run(() => FailInTask());
                    }
                    catch (InvalidOperationException)
                    {
                    }
                    break;
                case "handled-run-wait":
                    try
                    {
                        Task.Run(() => FailInTask()).Wait();
                    }
                    catch (AggregateException)
                    {
                    }
                    break;
                case "handled-run-later":
                    stored = Task.Run(() => FailInTask());
                    await Task.Delay(20);
                    await Guarded(() => stored);
                    break;
                case "handled-run-each":
                    await Guarded(() => Task.WhenAll(Enumerable.Range(0, 3).Select(number => StartFailing())));
                    break;
                case "handled-parallel":
                    try
                    {
                        Parallel.For(0, 3, number => FailInTask());
                    }
                    catch (AggregateException)
                    {
                    }
                    break;
                case "handled-parallel-query":
                    try
                    {
                        Enumerable.Range(0, 3).AsParallel().ForAll(number => FailInTask());
                    }
                    catch (AggregateException)
                    {
                    }
                    break;
#if NET8_0_OR_GREATER
                case "handled-parallel-async":
                    try
                    {
                        await Parallel.ForEachAsync(Enumerable.Range(0, 3), async (number, token) =>
                        {
                            await Task.Yield();
                            FailInTask();
                        });
                    }
                    catch (InvalidOperationException)
                    {
                    }
                    break;
                case "handled-suppressed":
                    await Fail().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    break;
                case "handled-suppressed-at-once":
                    await FailAtOnce().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    break;
                case "handled-suppressed-run":
                    await Task.Run(() => FailInTask()).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    break;
#endif
                case "dropped":
                    var begun = new ManualResetEventSlim();
                    _ = Task.Run(() =>
                    {
                        begun.Set();
                        FailInTask();
                    });
                    begun.Wait();
                    await Task.Delay(500);
                    break;
                case "never-awaited":
                    stored = Fail();
                    await Task.Delay(200);
                    break;
            }
        }

        // Until the main thread waits in the framework: by then everything that awaits has been noted. It may wait for a
        // lock before, on a busy machine: so it has to wait for a while.
        private static void WaitUntilAwaited()
        {
            for (int looks = 0; looks < 10; looks++)
            {
                Thread.Sleep(1);
                if ((mainThread.ThreadState & ThreadState.WaitSleepJoin) == 0)
                {
                    looks = 0;
                }
            }
        }

        // As Task.Run, but not before it is awaited.
        private static async Task Started(Func<Func<Task>, Task> awaiter)
        {
            Task task = new Task(() =>
            {
                WaitUntilAwaited();
                FailInTask();
            });
            Task awaiting = awaiter(() => task);
            task.Start();
            await awaiting;
        }

        private static void FailInTask()
        {
            throw new InvalidOperationException("failed in a task"); // @fail-in-task
        }

        private static Task StartFailing() => Task.Run(() => FailInTask());

        private static async Task Outer(Func<Task> inner)
        {
            await inner();
        }

        private static async Task Guarded(Func<Task> inner)
        {
            try
            {
                await inner();
            }
            catch (InvalidOperationException e)
            {
                Console.WriteLine(e.Message);
            }
        }

        private static async Task GuardedByAll()
        {
            try
            {
                await Fail();
            }
            catch
            {
                await Task.Yield();
            }
        }

        private static async Task GuardedOtherwise()
        {
            try
            {
                await Fail();
            }
            catch (ArgumentException)
            {
            }
        }

        private static async Task Generic<T>(Func<Task> inner) where T : Exception
        {
            try
            {
                await inner();
            }
            catch (T e)
            {
                Console.WriteLine(e.Message);
            }
        }

        private static async Task Filtered(bool handles)
        {
            try
            {
                await Fail();
            }
            catch (InvalidOperationException) when (handles)
            {
            }
        }

        private static async Task Fail()
        {
            await Task.Delay(5).ConfigureAwait(false);
            WaitUntilAwaited();
            throw new InvalidOperationException("failed"); // @fail
        }

        private static async ValueTask<int> FailingValue()
        {
            await Task.Delay(5).ConfigureAwait(false);
            WaitUntilAwaited();
            throw new InvalidOperationException("failed"); // @fail-value
        }

        private static async Task FailAtOnce()
        {
            if (DateTime.Now.Year > 0)
            {
                throw new InvalidOperationException("failed at once"); // @fail-at-once
            }
            await Task.Yield();
        }

        private static async void Forgotten()
        {
            await Fail();
        }

        private static async IAsyncEnumerable<int> Numbers()
        {
            yield return 1;
            await Task.Delay(5).ConfigureAwait(false);
            WaitUntilAwaited();
            throw new InvalidOperationException("no more numbers"); // @fail-number
        }
    }
}
