// Names that mean different variables in different parts of a file.
using System;
using System.Linq;
using System.Threading.Tasks;

namespace Ranges
{
    internal class Cart
    {
        private readonly int first = 1;

        public int Sum(int count)
        {
            for (int i = 0; i < count; i++) // @first-loop
            {
                count += i;
            }
            for (int i = 5; i < 7; i++) // @second-loop
            {
                count += i; // @in-loop
            } // @second-loop-end
            return count;
        }

        public Cart(int count) // @header
        {
            count += first; // @in-constructor
        } // @constructor-end
    }

    internal static class Program
    {
        private static async Task Main()
        {
            int count = 3;
            int added = Add(count, 4); // @calls
            int Add(int count, int by) // @inner-header
            {
                return count + by; // @in-inner
            } // @inner-end
            Func<int, int> twice = added => added * 2; // @lambda
            int[] some = { 1, 2 };
            count += some.Select(one => one + count).Sum(); // @captures
            {
                int hidden = added; // @block
                await Task.Delay(1);
                count += hidden + twice(1); // @after-await
            } // @block-end
            Console.WriteLine(new Cart(count).Sum(2) + added); // @end
        }
    }
}
