using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace AsyncTasks
{
    // Async methods that stand at their awaits, of every kind; others have ended.
    public static class Program
    {
        private static readonly TaskCompletionSource<int> Never = new TaskCompletionSource<int>();
        private static readonly SemaphoreSlim Closed = new SemaphoreSlim(0);
        private static readonly List<object> Kept = new List<object>();

        private static Thread starter;

        public static async Task<int> Main(string[] args)
        {
            starter = Thread.CurrentThread;
            int many = args.Length > 0 ? int.Parse(args[0]) : 0;
            Kept.AddRange(Enumerable.Range(0, many).Select(number => Numbered(number)));
            Task[] ended = { Ends(), Fails() };
            Kept.Add(Parent());
            Kept.Add(Value().AsTask());
            Kept.Add(Consume());
            Kept.Add(new Holder { Name = "held" }.Wait());
            Func<int, Task> lambda = async number =>
            {
                await Closed.WaitAsync(); // @lambda
                Console.WriteLine(number + many);
            };
            Kept.Add(lambda(7));
            Forgotten();
            if (args.Length > 1)
            {
                Kept.Add(Unwrapped());
#if NET6_0_OR_GREATER
                Kept.Add(Abandoned());
                Kept.Add(Paced());
#endif
            }
            Task inner = Task.WhenAll(ended);
            await Task.WhenAny(inner, Task.Delay(10_000));
            await Task.Yield();
            SpinWait.SpinUntil(() => (starter.ThreadState & ThreadState.WaitSleepJoin) != 0); // for the result of this
            Console.WriteLine("ready"); // @ready
            return 0;
        }

        private static async Task Numbered(int number)
        {
            int copy = number;
            await Never.Task; // @numbered
            Console.WriteLine(copy);
        }

        private static async Task Parent()
        {
            await Task.WhenAll(Child("a"), Child("b")); // @parent
        }

        private static async Task<T> Child<T>(T value)
        {
            await Never.Task.ConfigureAwait(false); // @child
            return value;
        }

        private static async ValueTask<int> Value()
        {
            await Task.Delay(100_000); // @value
            return 1;
        }

        private static async IAsyncEnumerable<int> Produce()
        {
            yield return 1;
            await Never.Task; // @produce
            yield return 2;
        }

        private static async Task Consume()
        {
            await foreach (int number in Produce()) // @consume
            {
                Console.WriteLine(number);
            }
        }

        private static async void Forgotten()
        {
            await Child(3); // @forgotten
        }

        private static async Task Unwrapped()
        {
            await Task.Run(() => Never.Task); // @unwrapped
        }

#if NET6_0_OR_GREATER
        private static async Task Abandoned()
        {
            await Child(4).WaitAsync(TimeSpan.FromSeconds(100)); // @abandoned
        }

        private static async Task Paced()
        {
            await new PeriodicTimer(TimeSpan.FromSeconds(100)).WaitForNextTickAsync(); // @paced
        }
#endif

        private static async Task Ends()
        {
            await Task.Delay(1);
        }

        private static async Task Fails()
        {
            await Task.Delay(1);
            throw new InvalidOperationException();
        }
    }

    public class Holder
    {
        public string Name;

        public async Task Wait()
        {
            string local = Name + "!";
            await Task.Delay(100_000); // @holder
            Console.WriteLine(local + Name);
        }
    }
}
