Imports System
Imports System.Collections.Generic
Imports System.Threading.Tasks

Public Class Lambdas(Of T)
    Private count As Integer

    Public Function Work(n As Integer) As Task(Of Integer)
        Dim alone As Func(Of Integer, Task(Of Integer)) = Async Function(x As Integer) As Task(Of Integer)
                        Await Task.Yield()
                        Return x + 1
                    End Function
        Dim capturing As Action(Of Integer) = Async Sub(x As Integer)
                            Await Task.Delay(n)
                            count += x
                        End Sub
        Dim counting As Func(Of Integer, IEnumerable(Of Integer)) = Iterator Function(x As Integer) As IEnumerable(Of Integer)
                           Yield x + n
                       End Function
        capturing(2)
        Return alone(n)
    End Function
End Class
