Imports System
Imports System.Collections.Generic

' Static locals of a method and of a shared one, of two overloads, tuples with names, and properties with parameters.
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
        counter.Work(1)
        counter.Work("x")
        Count()
        Console.WriteLine(Count()) ' @main
    End Sub
End Module
