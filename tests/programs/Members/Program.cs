using System;

namespace Members
{
    // Members of objects that only the debugger lists as the source names them.
    public static class Program
    {
        public static void Main()
        {
            Parameters.Show();
            Statics.Show();
            Places.Show();
            Stored.Show();
            Thrown.Show();
            Described.Show();
            Explicit.Show();
            Patterns.Show();
        }

        public static void Use(params object[] values)
        {
            GC.KeepAlive(values);
        }
    }
}
