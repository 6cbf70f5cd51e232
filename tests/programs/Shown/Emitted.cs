using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;

namespace Shown
{
    public class OfBase
    {
        public int InBase = 3;
    }

    public interface IThing
    {
        string Name { get; }
    }

    public class ThingProxy : DispatchProxy
    {
        public int Count = 1;

        protected override object Invoke(MethodInfo method, object[] arguments)
        {
            return "thing";
        }
    }

    // Types that Reflection.Emit makes, in a module that gets more of them between two stops.
    public static class Emitted
    {
        private static ModuleBuilder module;

        public static void Show()
        {
            AssemblyName name = new AssemblyName("Emitted");
            module = AssemblyBuilder.DefineDynamicAssembly(name, AssemblyBuilderAccess.Run).DefineDynamicModule("Emitted");
            object first = Make("Ns.First", 42);
            first.GetType().GetMethod("Call").Invoke(null, new object[] { "one" });
            Console.WriteLine("emitted"); // @emitted
            object second = Make("Ns.Second", 43);
            TypeBuilder generic = module.DefineType("Ns.Pair`1", TypeAttributes.Public);
            generic.DefineField("Value", generic.DefineGenericParameters("T")[0], FieldAttributes.Public);
            object pair = Activator.CreateInstance(generic.CreateTypeInfo().AsType().MakeGenericType(typeof(string)));
            EnumBuilder color = module.DefineEnum("Ns.Color", TypeAttributes.Public, typeof(int));
            color.DefineLiteral("Red", 1);
            color.DefineLiteral("Blue", 2);
            object blue = Enum.ToObject(color.CreateTypeInfo().AsType(), 2);
            IThing thing = DispatchProxy.Create<IThing, ThingProxy>();
            Program.Use(first, second, pair, blue, thing); // @grown
        }

        public static void Called(string what)
        {
            Console.WriteLine(what); // @called
        }

        private static object Make(string name, int value)
        {
            TypeBuilder type = module.DefineType(name, TypeAttributes.Public, typeof(OfBase));
            FieldBuilder number = type.DefineField("Number", typeof(int), FieldAttributes.Public);
            type.DefineField("words", typeof(List<string>), FieldAttributes.Private);
            MethodBuilder call = type.DefineMethod(
                "Call", MethodAttributes.Public | MethodAttributes.Static, typeof(void), new[] { typeof(string) });
            call.DefineParameter(1, ParameterAttributes.None, "what");
            ILGenerator code = call.GetILGenerator();
            code.Emit(OpCodes.Ldarg_0);
            code.Emit(OpCodes.Call, typeof(Emitted).GetMethod("Called"));
            code.Emit(OpCodes.Ret);
            ConstructorInfo display = typeof(DebuggerDisplayAttribute).GetConstructor(new[] { typeof(string) });
            type.SetCustomAttribute(new CustomAttributeBuilder(display, new object[] { "number {Number}" }));
            object made = Activator.CreateInstance(type.CreateTypeInfo().AsType());
            made.GetType().GetField(number.Name).SetValue(made, value);
            return made;
        }
    }
}
