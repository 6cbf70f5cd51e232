using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Steps
{
    // Every shape of code that a step goes over, into or out of.
    public static class Program
    {
        public static int Main(string[] args) // @main
        {
            int a = Add(1, 2); // @calls-add
            int b = Twice(Add(a, 1)); // @calls-nested
            Console.WriteLine("sum " + (a + b)); // @after-nested
            Loop(3); // @calls-loop
            Properties(); // @calls-properties
            Exceptions(); // @calls-exceptions
            Lambdas(); // @calls-lambdas
            Iterators(); // @calls-iterators
            Local(); // @calls-local
            Branches(2); // @calls-branches
            Disposal(); // @calls-disposal
            Recurse(3); // @calls-recurse
            Several(); // @calls-several
            int answer = Asynchronously().GetAwaiter().GetResult(); // @calls-async
            Console.WriteLine("answer " + answer); // @end
            return 0; // @return
        } // @main-close

        private static int Add(int left, int right)
        { // @add-open
            int result = left + right; // @add
            return result; // @add-return
        } // @add-close

        private static int Twice(int value) => value * 2; // @twice

        private static void Loop(int rounds)
        {
            int total = 0; // @loop-before
            for (int i = 0; i < rounds; i++) // @loop-head
            {
                total += i; // @loop-body
            }
            foreach (string word in new[] { "x", "y" }) // @foreach-head
            {
                total += word.Length; // @foreach-body
            }
            Console.WriteLine("loop " + total); // @loop-after
        }

        private static void Disposal()
        {
            using System.IO.Stream stream = new System.IO.MemoryStream();
            int a = Add(1, 2); int b = Add(a, a); int c = Add(b, a); // @one-line
            stream.SetLength(a + b + c); // @in-using
        } // @using-close

        private static void Properties()
        {
            Counter counter = new Counter(5); // @new-counter
            int value = counter.Value; // @get-property
            counter.Value = value + 1; // @set-property
            Counter sum = counter + counter; // @operator
            Console.WriteLine("property " + sum.Value); // @properties-end
        }

        private static void Exceptions()
        {
            try
            {
                Throw("first"); // @calls-throw
                Console.WriteLine("not reached");
            }
            catch (InvalidOperationException error) when (error.Message == "first") // @catch
            {
                Console.WriteLine("caught " + error.Message); // @catch-body
            }
            finally
            {
                Console.WriteLine("finally"); // @finally
            }
            Console.WriteLine("after try"); // @after-try
        }

        private static void Throw(string message)
        {
            throw new InvalidOperationException(message); // @throw
        }

        private static void Lambdas()
        {
            int offset = 10; // @lambda-before
            Func<int, int> add = value => value + offset; // @lambda
            int result = add(5); // @calls-lambda
            List<int> squares = new[] { 1, 2, 3 }.Select(n => n * n).ToList(); // @linq
            Console.WriteLine("lambda " + (result + squares.Sum())); // @lambda-after
        }

        private static void Iterators()
        {
            int total = 0; // @iterator-before
            foreach (int item in Count(2)) // @iterator-head
            {
                total += item; // @iterator-use
            }
            _ = Count(1).First(); // @iterator-in-library
            Console.WriteLine("iterator " + total); // @iterator-after
        }

        private static IEnumerable<int> Count(int limit)
        {
            for (int i = 0; i < limit; i++)
            {
                yield return i; // @yield
            }
            Console.WriteLine("counted"); // @after-yield
        }

        private static void Local()
        {
            int factor = 3; // @local-before
            int Multiply(int value)
            {
                return value * factor; // @local-function
            }
            Console.WriteLine("local " + Multiply(4)); // @calls-local-function
        } // @local-close

        private static Action both;

        private static void Several()
        {
            both += First; // @several-begin
            both += Second;
            both(); // @several-first-time
            both(); // @several-second-time
            both = null; // @several-end
        }

        private static void First()
        {
            Console.Write(""); // @first
        } // @first-close

        private static void Second()
        { // @second-open
            Console.Write(""); // @second
        } // @second-close

        private static void Branches(int choice)
        {
            switch (choice) // @switch
            {
                case 1:
                    Console.WriteLine("one"); // @case-one
                    break;
                case 2:
                    Console.WriteLine("two"); // @case-two
                    break;
                default:
                    Console.WriteLine("many"); // @case-default
                    break;
            }
            if (choice > 5) // @if
            {
                Console.WriteLine("large"); // @if-body
            }
        } // @branches-close

        private static int Recurse(int depth)
        {
            if (depth == 0) // @recurse-if
            {
                return 0; // @recurse-bottom
            }
            return 1 + Recurse(depth - 1); // @recurse
        }

        private static async Task<int> Asynchronously()
        {
            int first = await Later(20); // @await-first
            await Task.Yield(); // @await-yield
            int second = await Later(22); // @await-second
            return first + second; // @async-return
        }

        private static async Task<int> Later(int value)
        {
            await Task.Delay(10); // @delay
            return value; // @later-return
        }
    }

    public sealed class Counter
    {
        private int value;

        public Counter(int start)
        {
            value = start; // @constructor
        }

        public int Value
        {
            get { return value; } // @getter
            set { this.value = value; } // @setter
        }

        public static Counter operator +(Counter left, Counter right)
        {
            return new Counter(left.value + right.value); // @plus
        }
    }
}
