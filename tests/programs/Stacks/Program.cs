using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Stacks
{
    public class Holder<TKey, TValue>
    {
        public TResult Take<TResult>(TResult result, TKey key)
        {
            return result; // @generic
        }

        public async Task<TKey> Later(TKey key)
        {
            await Task.Delay(5);
            return key; // @generic-async
        }
    }

    // What the call stack shows besides what is on the stack.
    public static class Program
    {
        private static Thread mainThread;

        public static async Task<int> Main(string[] args)
        {
            mainThread = Thread.CurrentThread;
            switch (args[0])
            {
                case "generic":
                    new Holder<int, string>().Take(new List<double>(), 1);
                    await new Holder<string, int>().Later("key");
                    break;
                case "awaiting":
                    await Outer(7); // @await-outer
                    break;
                case "throwing":
                    await Failing(); // @await-failing
                    break;
            }
            return 0;
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

        private static async Task<int> Outer(int number)
        {
            string text = "of outer";
            int inner = await Inner(number + 1); // @await-inner
            return inner + text.Length;
        }

        private static async Task<int> Inner(int number)
        {
            await Task.Delay(5).ConfigureAwait(false);
            WaitUntilAwaited();
            await Task.Delay(5); // @second-await
            return number; // @inner-return
        }

        private static async Task Failing()
        {
            await Task.Delay(5);
            Throw(); // @calls-throw
        }

        private static void Throw()
        {
            throw new InvalidOperationException("thrown after an await"); // @throw
        }
    }
}
