// What `make demo` debugs: orders, a sum, a discount.
using System;
using System.Collections.Generic;

namespace Shop
{
    public enum Kind { Standard, Express }

    public class Order
    {
        public string Item { get; set; }
        public int Count { get; set; }
        public decimal Price { get; set; }
        public Kind Kind { get; set; }
    }

    public static class Program
    {
        private static decimal Sum(List<Order> orders, decimal discount)
        {
            decimal sum = 0m;
            foreach (var order in orders)
            {
                decimal total = order.Count * order.Price; // @total
                sum += total; // @add
            }
            return sum - discount; // @return
        }

        public static int Main(string[] args)
        {
            var orders = new List<Order>
            {
                new Order { Item = "pen", Count = 10, Price = 1.50m },
                new Order { Item = "paper", Count = 4, Price = 3.25m, Kind = Kind.Express },
                new Order { Item = "lamp", Count = 1, Price = 42.00m },
            };
            decimal sum = Sum(orders, 5m);
            Console.WriteLine($"{orders.Count} orders, {sum} in all");
            return orders.Count;
        }
    }
}
