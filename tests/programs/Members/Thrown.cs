using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;

namespace Members
{
    // Exceptions that are hard to describe, thrown one after the other.
    public static class Thrown
    {
        public static void Show()
        {
            Exception first = new Exception("a");
            Exception second = new Exception("b", first);
            typeof(Exception).GetField("_innerException", BindingFlags.NonPublic | BindingFlags.Instance).SetValue(first, second);
            Exception deep = new Exception("0");
            List<Exception> many = new List<Exception>();
            for (int index = 1; index < 30; index++)
            {
                deep = new Exception(index.ToString(), deep);
                many.Add(new Exception(index.ToString()));
            }
            Exception data = new Exception("data");
            data.Data["self"] = data;
            for (int index = 0; index < 20; index++)
                data.Data["n" + index] = index;
            Throw(new MessageThrows());
            Throw(new MessageLoops());
            Throw(new MessageReads());
            Throw(new AggregateException("some", new Exception("x"), new MessageThrows()));
            Throw(second);
            Throw(deep);
            Throw(new AggregateException("many", many));
            Throw(data);
            Throw(new ArgumentOutOfRangeException("limit", 5, "It is too great."));
            Throw(new Exception(new string('x', 5000)));
            Throw(new FileNotFoundException("There is none.", "a.txt"));
            Throw(new FileNotFoundException(null, "a.txt"));
            Throw(new Of<int>.Kind());
            try
            {
                typeof(Thrown).GetMethod("Reflected").Invoke(null, null);
            }
            catch (TargetInvocationException)
            {
            }
        }

        public static void Reflected()
        {
            throw new InvalidOperationException("reflected"); // @reflected
        }

        private static void Throw(Exception exception)
        {
            try
            {
                throw exception;
            }
            catch (Exception)
            {
            }
        }
    }

    public class MessageThrows : Exception
    {
        public override string Message => throw new InvalidOperationException("in Message");
    }

    public class MessageLoops : Exception
    {
        public override string Message
        {
            get
            {
                while (true)
                {
                }
            }
        }
    }

    public class Of<T>
    {
        public class Kind : Exception
        {
        }
    }

    public class MessageReads : Exception
    {
        private readonly string _own = "own";

        public override string Message => _own;
    }
}
