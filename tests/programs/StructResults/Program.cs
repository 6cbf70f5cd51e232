using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace StructResults
{
    // Calls that return structures, which its statements store, and others.
    public class Program
    {
        private static (int, string) pair;
        private DateTime day;
        private decimal total = 1;

        public static async Task Main()
        {
            var program = new Program();
            decimal price = Price(3); // @local
            int? none = None(); // @nullable
            pair = Pair(); // @static
            program.Store(); // @calls-store
            decimal sum = price + Price(4); // @operator
            Console.WriteLine(Price(5) + sum); // @nothing-stored
            bool yes = sum > 0;
            decimal either = yes ? Price(6) : Price(7); // @either
            try
            {
                price = Fails(); // @fails
            }
            catch (InvalidOperationException)
            { // @caught
            }
            Change(ref sum, sum = Price(8)); // @changed
            await Task.Delay(1);
            price = Price(9); // @after-await
            Console.WriteLine(price + either + (none ?? 0)); // @end
        }

        private void Store()
        {
            day = Day(2); // @field
            total = Price(1) + total; // @field-operator
            if (Total() > 0) // @condition
            {
                Console.WriteLine(day); // @stored
            }
        }

        private decimal Total() => total;

        private static decimal Price(int number) => number + 0.5m;

        private static int? None() => null;

        private static (int, string) Pair() => (1, "one");

        private static DateTime Day(int number) => new DateTime(2020, 1, number);

        private static decimal Fails() => throw new InvalidOperationException();

        private static void Change(ref decimal sum, decimal other)
        {
            sum = other + 1;
        }
    }
}
