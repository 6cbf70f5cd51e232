// Texts of numbers in one culture after the other: each call of P prints one, which the debugger is to make as well.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;

public enum Plain { A, B, Below = -5 }

public enum Equal { One = 1, Uno = 1, Two = 2, Zwei = 2, Deux = 2, Three = 3 }

[DebuggerDisplay("{Amount} {Amount.ToString(\"N1\"),nq} {Text,nq}")]
public class Sum
{
    public double Amount = -1234.5;

    public string Text => $"{Amount}";

    public override string ToString() => Amount.ToString();
}

public static class Program
{
    private class Own : CultureInfo
    {
        private readonly NumberFormatInfo numbers = new NumberFormatInfo { NegativeSign = "minus " };

        public Own() : base("") { }

        public override object GetFormat(Type format) => format == typeof(NumberFormatInfo) ? numbers : base.GetFormat(format);

        public override NumberFormatInfo NumberFormat { get => numbers; set { } }
    }

    private static void P(string text) => Console.WriteLine("P " + text);

    private static void Texts(double d, decimal m, int i, long l, object boxed, double? maybe, Plain plain, Equal equal, char c, bool b)
    {
        string face = "\U0001F600";
        var sum = new Sum();
        var day = new DateTime(2024, 2, 29, 12, 34, 56);
        Console.WriteLine("=="); // @here
        P($"{d}");
        P("x" + d + m + i);
        P($"{l:N0}|{m:C}|{d:P1}|{d,20:F2}|{d:E3}");
        P(d.ToString() + d.ToString("N1") + i.ToString() + m.ToString("C") + l.ToString("N0"));
        P($"{double.NaN} {double.NegativeInfinity:F1} {1e20}");
        P($"{i:X}{i:D5}{42}");
        P($"{plain} {plain:D} {plain:F} {(Plain)3:F} {(Plain)(-1)}");
        P($"{equal} {equal:F} {equal:X}");
        P($"{boxed}" + boxed + maybe);
        P($"{c:N2}{b:N2}");
        P($"{face,5}|{face,-5}|");
        P($"{d:#,##0.00}|{i:000}");
        P(string.Format("{0:N2}|{1,8}", d, i) + string.Concat(d, i));
        P($"{day}|{day:d}" + day);
        P((d, i).ToString() + new { d, i });
        P($"{m / 3} {5.00m % 3m} {1m % 10.00m}");
        P(sum + $"{sum}");
        P(double.Parse("1,5").ToString(CultureInfo.InvariantCulture));
        P(Convert.ToDouble("-1,5".Replace("-", CultureInfo.CurrentCulture.NumberFormat.NegativeSign)).ToString("R", CultureInfo.InvariantCulture));
        P(Convert.ToString(d) + string.Join(";", d, m));
        P(FormattableString.Invariant($"{d}"));
    }

    private static void Do() => Texts(-1234567.891, -1234.50m, -42, -1234567L, -2.5, -0.5, Plain.Below, Equal.Two, 'c', true);

    private static async Task DoAsync(CultureInfo culture)
    {
        CultureInfo.CurrentCulture = culture;
        await Task.Delay(1);
        Do();
    }

    private static CultureInfo Changed()
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        var numbers = culture.NumberFormat;
        numbers.NegativeSign = "~";
        numbers.PositiveSign = "plus";
        numbers.NaNSymbol = "no number";
        numbers.NegativeInfinitySymbol = "~oo";
        numbers.NumberDecimalSeparator = numbers.CurrencyDecimalSeparator = numbers.PercentDecimalSeparator = ",";
        numbers.NumberGroupSeparator = numbers.CurrencyGroupSeparator = numbers.PercentGroupSeparator = ".";
        numbers.NumberGroupSizes = new[] { 3, 2 };
        numbers.CurrencySymbol = "EUR";
        numbers.CurrencyNegativePattern = 8;
        culture.DateTimeFormat.ShortDatePattern = "dd.MM.yyyy";
        return culture;
    }

    public static void Main()
    {
        Do();
        CultureInfo.DefaultThreadCurrentCulture = Changed();
        var thread = new Thread(Do);
        thread.Start();
        thread.Join();
        CultureInfo.CurrentCulture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        Do();
        DoAsync(Changed()).Wait();
        CultureInfo.CurrentCulture = new Own();
        Do();
    }
}
