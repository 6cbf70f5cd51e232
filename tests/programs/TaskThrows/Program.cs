using System;
using System.Threading;
using System.Threading.Tasks;

namespace TaskThrows
{
    // Exceptions that leave what tasks run, in one method or in several at once, for those that wait for the tasks.
    public static class Program
    {
        private static readonly ManualResetEventSlim Thrown = new ManualResetEventSlim();

        public static async Task Main()
        {
            await Caught(() => Task.Run(() => // @awaited-close
            {
                throw new InvalidOperationException("awaited"); // @awaited
            }));
            await Caught(() => Task.Run(async () =>
            {
                await Task.Delay(10);
                throw new InvalidOperationException("resumed"); // @resumed
            }));
            Blocked();
            await Later();
            await Caught(() => Task.Run(() => Deep(3)));
            await Caught(Resumed);
            await Caught(() => Task.Run(() =>
            {
                throw new InvalidOperationException("continued"); // @continued
            }).ContinueWith(task =>
            { // @continuation
                Console.WriteLine(task.Exception.InnerException.Message);
            }));
        }

        private static async Task Caught(Func<Task> begin)
        {
            try
            {
                await begin(); // @await
            }
            catch (InvalidOperationException error) // @catch
            {
                Console.WriteLine(error.Message); // @handler
            }
        }

        private static void Blocked()
        {
            try
            {
                Task.Run(async () => // @waits
                {
                    await Task.Delay(10);
                    throw new InvalidOperationException("blocked"); // @blocked
                }).GetAwaiter().GetResult();
            }
            catch (InvalidOperationException error) // @blocked-catch
            {
                Console.WriteLine(error.Message); // @blocked-handler
            }
        }

        private static async Task Later()
        {
            Task<Task> begun = Task.Factory.StartNew(async () =>
            {
                await Task.Yield();
                Thrown.Set();
                throw new InvalidOperationException("later"); // @later
            });
            Thrown.Wait();
            await Task.Delay(300);
            try
            {
                await begun.Unwrap(); // @await-later
            }
            catch (InvalidOperationException error) // @later-catch
            {
                Console.WriteLine(error.Message); // @later-handler
            }
        }

        private static void Deep(int below)
        {
            if (below > 0)
            {
                Deep(below - 1);
            }
            else
            {
                throw new InvalidOperationException("deep"); // @deep
            }
            Console.WriteLine(below);
        }

        private static async Task Resumed()
        {
            await Task.Delay(10);
            await Inner(); // @await-inner
        }

        private static async Task Inner()
        {
            await Task.Delay(10);
            Throwing(2);
        }

        private static void Throwing(int below)
        {
            if (below > 0)
            {
                Throwing(below - 1);
            }
            else
            {
                throw new InvalidOperationException("inner"); // @inner
            }
            Console.WriteLine(below);
        }
    }
}
