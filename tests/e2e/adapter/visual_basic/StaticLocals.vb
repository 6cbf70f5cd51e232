Imports System
Imports System.Collections.Generic
Imports System.Threading.Tasks
Imports IO = System.IO
Imports Builder = System.Text.StringBuilder
Imports Microsoft.VisualBasic
Imports Others

' Static locals of a method and of a shared one, of two overloads, tuples with names, and properties with parameters.
' Members of modules, and variables that the compiler makes of statements.
Namespace Others
    Public Module Elsewhere
        Public Far As Integer = 70
        Public Function Doubled(number As Integer) As Integer
            Return 2 * number
        End Function
    End Module
End Namespace

Module Helper
    Public Deep As Integer = 7
End Module

Module Program
    Class Counter
        Public Kept As Integer

        Public Property Another(i As Integer) As Integer ' @property
            Get
                Return -i
            End Get
            Set(value As Integer)
            End Set
        End Property

        Default Public Property Chosen(i As Integer) As Integer
            Get
                Return i * 3
            End Get
            Set(value As Integer)
                Kept = value
            End Set
        End Property

        Public Async Function Later(first As Integer) As Task(Of Integer)
            With New Builder("kept")
                Await Task.Yield()
                For Each item As Integer In {first, 2}
                    Dim held As Integer = item
                    Dim sum As Func(Of Integer) = Function() held + .Length
                    Await Task.Yield()
                    SyncLock Me
                        Console.WriteLine(sum()) ' @later
                    End SyncLock
                Next
            End With
            Return first
        End Function

        Public Function Work(by As Integer) As Integer
            Static total As Integer = 5
            Static words As New List(Of String)
            Dim own As (Number As Integer, Word As String) = (1, "a")
            total += by
            words.Add(own.Word)
            Console.WriteLine(total) ' @work
            Return total
        End Function

        Public Function Work(by As String) As Integer
            Static total As String = "of the other"
            Console.WriteLine(total & by) ' @other
            Return total.Length
        End Function
    End Class

    Function Count() As Integer
        Static calls As Integer
        calls += 1
        Return calls ' @shared
    End Function

    Sub Main()
        Dim counter As New Counter()
        Dim text As String = "ab" & vbCr & ChrW(65)
        With New Builder(text)
            .Append(IO.Path.PathSeparator)
            Console.WriteLine(.Length + Deep + Far) ' @with
        End With
        counter.Later(1).Wait()
        counter.Work(1)
        counter.Work("x")
        Count()
        Console.WriteLine(Count()) ' @main
    End Sub
End Module
