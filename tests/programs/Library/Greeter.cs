using System;

namespace Library
{
    // Loaded late by LateLoad, or referenced by any program.
    public class Greeter
    {
        private int greeted;

        public string Greet(string name)
        {
            greeted++; // @greet
            string text = "hello " + name + " (" + greeted + ")";
            return text; // @greet-return
        }

        public void CallBack(Action action)
        {
            action(); // @call-back
        }
    }
}
