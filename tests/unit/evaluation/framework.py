"""What the fake program's framework declares: its signatures, which expressions are bound with, and no code.

Written as C# is, one type and one member to a line; `declarations.py` says how they are read. Types that a test
declares itself take the place of these.
"""

FRAMEWORK = """
class System.Object
  new()
  virtual string ToString()
  virtual bool Equals(object)
  virtual int GetHashCode()
  Type GetType()
  static bool Equals(object, object)
  static bool ReferenceEquals(object, object)
class System.ValueType
  new()
class System.Enum : ValueType, IComparable, IFormattable
  virtual string ToString()
  string ToString(string)
  virtual int CompareTo(object)
  bool HasFlag(Enum)
class System.Type
  string Name { get }
  string FullName { get }
  bool IsValueType { get }
  static bool op_Equality(Type, Type)
  static bool op_Inequality(Type, Type)
class System.Attribute
class System.ParamArrayAttribute : Attribute
  new()
class System.Runtime.CompilerServices.ExtensionAttribute : Attribute
  new()

interface System.IComparable
  abstract int CompareTo(object)
interface System.IComparable<in T>
  abstract int CompareTo(T)
interface System.IEquatable<T>
  abstract bool Equals(T)
interface System.IFormattable
  abstract string ToString(string, IFormatProvider)
interface System.IFormatProvider
  abstract object GetFormat(Type)
interface System.IDisposable
  abstract void Dispose()

struct System.Boolean : IComparable, IComparable<bool>, IEquatable<bool>
  virtual string ToString()
  bool Equals(bool)
  int CompareTo(bool)
  static bool Parse(string)
struct System.Char : IComparable, IComparable<char>, IEquatable<char>
  virtual string ToString()
  bool Equals(char)
  int CompareTo(char)
  static bool IsDigit(char)
  static bool IsLetter(char)
  static bool IsUpper(char)
  static char ToUpper(char)
struct System.SByte : IComparable, IFormattable, IComparable<sbyte>, IEquatable<sbyte>
struct System.Byte : IComparable, IFormattable, IComparable<byte>, IEquatable<byte>
struct System.Int16 : IComparable, IFormattable, IComparable<short>, IEquatable<short>
struct System.UInt16 : IComparable, IFormattable, IComparable<ushort>, IEquatable<ushort>
struct System.Int32 : IComparable, IFormattable, IComparable<int>, IEquatable<int>
  const int MaxValue = 2147483647
  const int MinValue = -2147483648
  virtual string ToString()
  string ToString(string)
  bool Equals(int)
  int CompareTo(int)
  static int Parse(string)
struct System.UInt32 : IComparable, IFormattable, IComparable<uint>, IEquatable<uint>
struct System.Int64 : IComparable, IFormattable, IComparable<long>, IEquatable<long>
struct System.UInt64 : IComparable, IFormattable, IComparable<ulong>, IEquatable<ulong>
struct System.Single : IComparable, IFormattable, IComparable<float>, IEquatable<float>
struct System.Double : IComparable, IFormattable, IComparable<double>, IEquatable<double>
  virtual string ToString()
  string ToString(string)
struct System.IntPtr : IComparable, IFormattable, IComparable<nint>, IEquatable<nint>
struct System.UIntPtr : IComparable, IFormattable, IComparable<nuint>, IEquatable<nuint>
struct System.Decimal : IComparable, IFormattable, IComparable<decimal>, IEquatable<decimal>
  virtual string ToString()
  string ToString(string)
struct System.Nullable<struct T>
  field bool hasValue
  field T value
  new(T)
  bool HasValue { get }
  T Value { get }
  T GetValueOrDefault()
  T GetValueOrDefault(T)
  virtual string ToString()
  virtual bool Equals(object)
  virtual int GetHashCode()
  static T? op_Implicit(T)
  static T op_Explicit(T?)

class System.String : IComparable, IComparable<string>, IEquatable<string>, IEnumerable<char>
  new(char[])
  new(char, int)
  static field string Empty
  int Length { get }
  char this[int] Chars { get }
  static string Concat(object)
  static string Concat(object, object)
  static string Concat(object, object, object)
  static string Concat(params object[])
  static string Concat(string, string)
  static string Concat(string, string, string)
  static string Concat(string, string, string, string)
  static string Concat(params string[])
  static string Concat(IEnumerable<string>)
  static string Concat<T>(IEnumerable<T>)
  static string Format(string, object)
  static string Format(string, params object[])
  static string Join(string, params string[])
  static string Join(string, params object[])
  static string Join(string, IEnumerable<string>)
  static string Join<T>(string, IEnumerable<T>)
  static bool IsNullOrEmpty(string)
  static bool IsNullOrWhiteSpace(string)
  static string Intern(string)
  static string IsInterned(string)
  static int Compare(string, string)
  static bool op_Equality(string, string)
  static bool op_Inequality(string, string)
  virtual string ToString()
  virtual bool Equals(object)
  bool Equals(string)
  int CompareTo(string)
  bool Contains(string)
  bool Contains(char)
  bool StartsWith(string)
  bool EndsWith(string)
  int IndexOf(string)
  int IndexOf(char)
  string Substring(int)
  string Substring(int, int)
  string Replace(string, string)
  string Insert(int, string)
  string Remove(int)
  string PadLeft(int)
  string PadRight(int)
  string Trim()
  string ToUpper()
  string ToLower()
  string[] Split(params char[])
  char[] ToCharArray()
  IEnumerator<char> GetEnumerator()

class System.Array : System.Collections.IList
  int Length { get }
  long LongLength { get }
  int Rank { get }
  int GetLength(int)
  int GetLowerBound(int)
  int GetUpperBound(int)
  object GetValue(int)
  object Clone()
  static R[] ConvertAll<T, R>(T[], Converter<T, R>)
  static T[] Empty<T>()
  static bool Exists<T>(T[], Predicate<T>)
  static T Find<T>(T[], Predicate<T>)
  static T[] FindAll<T>(T[], Predicate<T>)
  static int FindIndex<T>(T[], Predicate<T>)
  static int FindIndex<T>(T[], int, Predicate<T>)
  static T FindLast<T>(T[], Predicate<T>)
  static int FindLastIndex<T>(T[], Predicate<T>)
  static void ForEach<T>(T[], Action<T>)
  static int IndexOf<T>(T[], T)
  static bool TrueForAll<T>(T[], Predicate<T>)
  static void Reverse<T>(T[])
  static void Sort<T>(T[])

struct System.Index : IEquatable<Index>
  field int _value
  new(int value, bool fromEnd = false)
  bool IsFromEnd { get }
  int Value { get }
  int GetOffset(int)
  static Index op_Implicit(int)
struct System.Range : IEquatable<Range>
  field Index <Start>k__BackingField
  field Index <End>k__BackingField
  new(Index, Index)
  Index Start { get }
  Index End { get }
class System.Runtime.CompilerServices.RuntimeHelpers
  static T[] GetSubArray<T>(T[], Range)
class System.Runtime.CompilerServices.SwitchExpressionException : InvalidOperationException
  new()
  new(object)
class System.Runtime.CompilerServices.FormattableStringFactory
  static FormattableString Create(string, params object[])
class System.FormattableString : IFormattable
interface System.Runtime.CompilerServices.ITuple
  int Length { get }
  object this[int] Item { get }

struct System.ValueTuple<T1> : IComparable, IEquatable<ValueTuple<T1>>
  field T1 Item1
  new(T1 item1)
struct System.ValueTuple<T1, T2> : IComparable, IEquatable<(T1, T2)>
  field T1 Item1
  field T2 Item2
  new(T1 item1, T2 item2)
struct System.ValueTuple<T1, T2, T3> : IComparable, IEquatable<(T1, T2, T3)>
  field T1 Item1
  field T2 Item2
  field T3 Item3
  new(T1 item1, T2 item2, T3 item3)
struct System.ValueTuple<T1, T2, T3, T4> : IComparable, IEquatable<(T1, T2, T3, T4)>
  field T1 Item1
  field T2 Item2
  field T3 Item3
  field T4 Item4
  new(T1 item1, T2 item2, T3 item3, T4 item4)

class System.Delegate
  static Delegate Combine(Delegate, Delegate)
  static Delegate Remove(Delegate, Delegate)
class System.MulticastDelegate : Delegate
delegate void System.Action()
delegate void System.Action<in T>(T)
delegate void System.Action<in T1, in T2>(T1, T2)
delegate void System.Action<in T1, in T2, in T3>(T1, T2, T3)
delegate R System.Func<out R>()
delegate R System.Func<in T, out R>(T)
delegate R System.Func<in T1, in T2, out R>(T1, T2)
delegate R System.Func<in T1, in T2, in T3, out R>(T1, T2, T3)
delegate R System.Func<in T1, in T2, in T3, in T4, out R>(T1, T2, T3, T4)
delegate bool System.Predicate<in T>(T)
delegate int System.Comparison<in T>(T, T)
delegate R System.Converter<in T, out R>(T)

class System.Exception
  field string _message
  new()
  new(string)
  string Message { get }
class System.SystemException : Exception
  new(string)
class System.InvalidOperationException : SystemException
  new(string)
class System.ArgumentException : SystemException
  new(string)
class System.InvalidCastException : SystemException
  new(string)
class System.NullReferenceException : SystemException
  new(string)
class System.IndexOutOfRangeException : SystemException
  new(string)
class System.ArithmeticException : SystemException
  new(string)
class System.DivideByZeroException : ArithmeticException
  new(string)
class System.OverflowException : ArithmeticException
  new(string)
class System.Math
  static N Abs(N) for N in int, long, float, double, decimal
  static N Max(N, N) for N in byte, int, uint, long, ulong, float, double, decimal
  static N Min(N, N) for N in byte, int, uint, long, ulong, float, double, decimal
  static double Sqrt(double)

interface System.Collections.IEnumerable
  abstract System.Collections.IEnumerator GetEnumerator()
interface System.Collections.IEnumerator
  abstract bool MoveNext()
  abstract object Current { get }
  abstract void Reset()
interface System.Collections.ICollection : System.Collections.IEnumerable
  abstract int Count { get }
interface System.Collections.IList : System.Collections.ICollection
  abstract object this[int] Item { get set }
interface System.Collections.Generic.IEnumerable<out T> : System.Collections.IEnumerable
  abstract IEnumerator<T> GetEnumerator()
interface System.Collections.Generic.IEnumerator<out T> : IDisposable, System.Collections.IEnumerator
  abstract T Current { get }
interface System.Collections.Generic.ICollection<T> : IEnumerable<T>
  abstract int Count { get }
  abstract void Add(T)
  abstract bool Contains(T)
  abstract bool Remove(T)
interface System.Collections.Generic.IList<T> : ICollection<T>
  abstract T this[int] Item { get set }
interface System.Collections.Generic.IReadOnlyCollection<out T> : IEnumerable<T>
  abstract int Count { get }
interface System.Collections.Generic.IReadOnlyList<out T> : IReadOnlyCollection<T>
  abstract T this[int] Item { get }
interface System.Collections.Generic.IDictionary<K, V> : ICollection<KeyValuePair<K, V>>
  abstract V this[K] Item { get set }
interface System.Collections.Generic.IComparer<in T>
  abstract int Compare(T, T)
interface System.Collections.Generic.IEqualityComparer<in T>
  abstract bool Equals(T, T)
  abstract int GetHashCode(T)
struct System.Collections.Generic.KeyValuePair<K, V>
  field K key
  field V value
  new(K, V)
  K Key { get }
  V Value { get }
class System.Collections.Generic.List<T> : IList<T>, IReadOnlyList<T>, System.Collections.IList
  field T[] _items
  field int _size
  field int _version
  new()
  new(int)
  new(IEnumerable<T>)
  int Count { get }
  T this[int] Item { get set }
  void Add(T)
  void AddRange(IEnumerable<T>)
  bool Contains(T)
  bool Remove(T)
  void Clear()
  int IndexOf(T)
  T[] ToArray()
  bool Exists(Predicate<T>)
  T Find(Predicate<T>)
  List<T> FindAll(Predicate<T>)
  int FindIndex(Predicate<T>)
  bool TrueForAll(Predicate<T>)
  IEnumerator<T> GetEnumerator()
class System.Collections.Generic.HashSet<T> : ICollection<T>, IReadOnlyCollection<T>
  new()
  new(IEnumerable<T>)
  int Count { get }
  bool Add(T)
  bool Contains(T)
  bool Remove(T)
  IEnumerator<T> GetEnumerator()
class System.Collections.Generic.Dictionary<K, V> : IDictionary<K, V>, IReadOnlyCollection<KeyValuePair<K, V>>
  new()
  int Count { get }
  V this[K] Item { get set }
  void Add(K, V)
  bool ContainsKey(K)
  bool TryGetValue(K, out V)
  IEnumerator<KeyValuePair<K, V>> GetEnumerator()

interface System.Linq.IGrouping<out K, out T> : IEnumerable<T>
  abstract K Key { get }
interface System.Linq.ILookup<K, T> : IEnumerable<IGrouping<K, T>>
  abstract int Count { get }
  abstract IEnumerable<T> this[K] Item { get }
interface System.Linq.IOrderedEnumerable<out T> : IEnumerable<T>
class System.Linq.Enumerable
  static IEnumerable<int> Range(int, int)
  static IEnumerable<T> Repeat<T>(T, int)
  static IEnumerable<T> Empty<T>()
  extension T Aggregate<T>(IEnumerable<T>, Func<T, T, T>)
  extension A Aggregate<T, A>(IEnumerable<T>, A, Func<A, T, A>)
  extension R Aggregate<T, A, R>(IEnumerable<T>, A, Func<A, T, A>, Func<A, R>)
  extension bool All<T>(IEnumerable<T>, Func<T, bool>)
  extension bool Any<T>(IEnumerable<T>)
  extension bool Any<T>(IEnumerable<T>, Func<T, bool>)
  extension IEnumerable<T> Append<T>(IEnumerable<T>, T)
  extension IEnumerable<T> AsEnumerable<T>(IEnumerable<T>)
  extension double Average(IEnumerable<N>) for N in int, long, double
  extension float Average(IEnumerable<float>)
  extension decimal Average(IEnumerable<decimal>)
  extension double? Average(IEnumerable<N>) for N in int?, long?, double?
  extension float? Average(IEnumerable<float?>)
  extension decimal? Average(IEnumerable<decimal?>)
  extension double Average<T>(IEnumerable<T>, Func<T, N>) for N in int, long, double
  extension float Average<T>(IEnumerable<T>, Func<T, float>)
  extension decimal Average<T>(IEnumerable<T>, Func<T, decimal>)
  extension double? Average<T>(IEnumerable<T>, Func<T, N>) for N in int?, long?, double?
  extension float? Average<T>(IEnumerable<T>, Func<T, float?>)
  extension decimal? Average<T>(IEnumerable<T>, Func<T, decimal?>)
  extension IEnumerable<R> Cast<R>(System.Collections.IEnumerable)
  extension IEnumerable<T[]> Chunk<T>(IEnumerable<T>, int)
  extension IEnumerable<T> Concat<T>(IEnumerable<T>, IEnumerable<T>)
  extension bool Contains<T>(IEnumerable<T>, T)
  extension bool Contains<T>(IEnumerable<T>, T, IEqualityComparer<T>)
  extension int Count<T>(IEnumerable<T>)
  extension int Count<T>(IEnumerable<T>, Func<T, bool>)
  extension IEnumerable<KeyValuePair<K, int>> CountBy<T, K>(IEnumerable<T>, Func<T, K>, IEqualityComparer<K> c = null)
  extension IEnumerable<T> DefaultIfEmpty<T>(IEnumerable<T>)
  extension IEnumerable<T> DefaultIfEmpty<T>(IEnumerable<T>, T)
  extension IEnumerable<T> Distinct<T>(IEnumerable<T>)
  extension IEnumerable<T> Distinct<T>(IEnumerable<T>, IEqualityComparer<T>)
  extension IEnumerable<T> DistinctBy<T, K>(IEnumerable<T>, Func<T, K>)
  extension T ElementAt<T>(IEnumerable<T>, int)
  extension T ElementAt<T>(IEnumerable<T>, Index)
  extension T ElementAtOrDefault<T>(IEnumerable<T>, int)
  extension IEnumerable<T> Except<T>(IEnumerable<T>, IEnumerable<T>)
  extension IEnumerable<T> ExceptBy<T, K>(IEnumerable<T>, IEnumerable<K>, Func<T, K>)
  extension T N<T>(IEnumerable<T>) for N in First, FirstOrDefault, Last, LastOrDefault, Single, SingleOrDefault
  extension T N<T>(IEnumerable<T>, Func<T, bool>) for N in First, FirstOrDefault, Last, LastOrDefault
  extension T N<T>(IEnumerable<T>, Func<T, bool>) for N in Single, SingleOrDefault
  extension T N<T>(IEnumerable<T>, T) for N in FirstOrDefault, LastOrDefault, SingleOrDefault
  extension T N<T>(IEnumerable<T>, Func<T, bool>, T) for N in FirstOrDefault, LastOrDefault, SingleOrDefault
  extension IEnumerable<IGrouping<K, T>> GroupBy<T, K>(IEnumerable<T>, Func<T, K>)
  extension IEnumerable<IGrouping<K, E>> GroupBy<T, K, E>(IEnumerable<T>, Func<T, K>, Func<T, E>)
  extension IEnumerable<R> GroupBy<T, K, R>(IEnumerable<T>, Func<T, K>, Func<K, IEnumerable<T>, R>)
  extension IEnumerable<R> GroupBy<T, K, E, R>(IEnumerable<T>, Func<T, K>, Func<T, E>, Func<K, IEnumerable<E>, R>)
  extension IEnumerable<R> GroupJoin<T, I, K, R>(IEnumerable<T>, IEnumerable<I>, \
      Func<T, K>, Func<I, K>, Func<T, IEnumerable<I>, R>)
  extension IEnumerable<(int Index, T Item)> Index<T>(IEnumerable<T>)
  extension IEnumerable<T> Intersect<T>(IEnumerable<T>, IEnumerable<T>)
  extension IEnumerable<T> IntersectBy<T, K>(IEnumerable<T>, IEnumerable<K>, Func<T, K>)
  extension IEnumerable<R> Join<T, I, K, R>(IEnumerable<T>, IEnumerable<I>, Func<T, K>, Func<I, K>, Func<T, I, R>)
  extension IEnumerable<R> Join<T, I, K, R>(IEnumerable<T>, IEnumerable<I>, \
      Func<T, K>, Func<I, K>, Func<T, I, R>, IEqualityComparer<K>)
  extension long LongCount<T>(IEnumerable<T>)
  extension long LongCount<T>(IEnumerable<T>, Func<T, bool>)
  extension N Max(IEnumerable<N>) for N in int, long, float, double, decimal, int?, long?, float?, double?, decimal?
  extension T Max<T>(IEnumerable<T>)
  extension N Max<T>(IEnumerable<T>, Func<T, N>) for N in int, long, float, double, decimal, int?, long?, double?
  extension R Max<T, R>(IEnumerable<T>, Func<T, R>)
  extension T MaxBy<T, K>(IEnumerable<T>, Func<T, K>)
  extension N Min(IEnumerable<N>) for N in int, long, float, double, decimal, int?, long?, float?, double?, decimal?
  extension T Min<T>(IEnumerable<T>)
  extension N Min<T>(IEnumerable<T>, Func<T, N>) for N in int, long, float, double, decimal, int?, long?, double?
  extension R Min<T, R>(IEnumerable<T>, Func<T, R>)
  extension T MinBy<T, K>(IEnumerable<T>, Func<T, K>)
  extension IEnumerable<R> OfType<R>(System.Collections.IEnumerable)
  extension IOrderedEnumerable<T> N<T>(IEnumerable<T>) for N in Order, OrderDescending
  extension IOrderedEnumerable<T> N<T, K>(IEnumerable<T>, Func<T, K>) for N in OrderBy, OrderByDescending
  extension IOrderedEnumerable<T> N<T, K>(IOrderedEnumerable<T>, Func<T, K>) for N in ThenBy, ThenByDescending
  extension IEnumerable<T> Prepend<T>(IEnumerable<T>, T)
  extension IEnumerable<T> Reverse<T>(IEnumerable<T>)
  extension IEnumerable<T> Reverse<T>(T[])
  extension IEnumerable<R> Select<T, R>(IEnumerable<T>, Func<T, R>)
  extension IEnumerable<R> Select<T, R>(IEnumerable<T>, Func<T, int, R>)
  extension IEnumerable<R> SelectMany<T, R>(IEnumerable<T>, Func<T, IEnumerable<R>>)
  extension IEnumerable<R> SelectMany<T, R>(IEnumerable<T>, Func<T, int, IEnumerable<R>>)
  extension IEnumerable<R> SelectMany<T, I, R>(IEnumerable<T>, Func<T, IEnumerable<I>>, Func<T, I, R>)
  extension bool SequenceEqual<T>(IEnumerable<T>, IEnumerable<T>)
  extension IEnumerable<T> Skip<T>(IEnumerable<T>, int)
  extension IEnumerable<T> SkipLast<T>(IEnumerable<T>, int)
  extension IEnumerable<T> SkipWhile<T>(IEnumerable<T>, Func<T, bool>)
  extension N Sum(IEnumerable<N>) for N in int, long, float, double, decimal, int?, long?, float?, double?, decimal?
  extension N Sum<T>(IEnumerable<T>, Func<T, N>) for N in int, long, float, double, decimal, int?, long?, double?
  extension IEnumerable<T> Take<T>(IEnumerable<T>, int)
  extension IEnumerable<T> Take<T>(IEnumerable<T>, Range)
  extension IEnumerable<T> TakeLast<T>(IEnumerable<T>, int)
  extension IEnumerable<T> TakeWhile<T>(IEnumerable<T>, Func<T, bool>)
  extension T[] ToArray<T>(IEnumerable<T>)
  extension Dictionary<K, T> ToDictionary<T, K>(IEnumerable<T>, Func<T, K>)
  extension Dictionary<K, E> ToDictionary<T, K, E>(IEnumerable<T>, Func<T, K>, Func<T, E>)
  extension HashSet<T> ToHashSet<T>(IEnumerable<T>)
  extension List<T> ToList<T>(IEnumerable<T>)
  extension ILookup<K, T> ToLookup<T, K>(IEnumerable<T>, Func<T, K>)
  extension IEnumerable<T> Union<T>(IEnumerable<T>, IEnumerable<T>)
  extension IEnumerable<T> UnionBy<T, K>(IEnumerable<T>, IEnumerable<T>, Func<T, K>)
  extension IEnumerable<T> Where<T>(IEnumerable<T>, Func<T, bool>)
  extension IEnumerable<T> Where<T>(IEnumerable<T>, Func<T, int, bool>)
  extension IEnumerable<(A First, B Second)> Zip<A, B>(IEnumerable<A>, IEnumerable<B>)
  extension IEnumerable<R> Zip<A, B, R>(IEnumerable<A>, IEnumerable<B>, Func<A, B, R>)
"""
