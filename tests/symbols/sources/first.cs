using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace First
{
    public class Program
    {
        private readonly int field = Environment.TickCount; // initializer

        // between the members

        private static async Task<int> Wait(int amount)
        {
            var copy = amount; // copy
            await Task.Delay(1);
            const string text = "h\u00e9"; // constant
            Console.WriteLine(text);
            return copy;
        }

        // between two methods

        private IEnumerable<int> Count(int limit)
        {
            for (int i = 0; i < limit; i++) // for
            {
                yield return i; // yield
            }
        }

        public Program()
        {
            Console.WriteLine(field); // constructor
        }

        public static void Main(string[] args)
        {
            int factor = args.Length; // factor
            const decimal rate = 1.50m;

            // no code here
            var numbers = args.Select(word => word.Length * factor).ToList(); // lambda
            int Local(int k) => k + numbers.Count; // local function
            {
                int inner = Local(3); // inner
                Console.WriteLine(inner + rate);
            }
            new Program().Count(2).ToList();
            Wait(1).Wait();
        }
    }
}
