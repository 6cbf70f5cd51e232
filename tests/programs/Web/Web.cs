// A web application: an endpoint, an asynchronous one and a controller, at the addresses of its launch profile.
// Its port is chosen by the system and written in the line `Now listening on`.
using System;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Web
{
    public static class Program
    {
        public static void Main(string[] args)
        {
            Settle();
            Host.CreateDefaultBuilder(args).ConfigureWebHostDefaults(web => web
                .ConfigureServices(services => services.AddControllers())
                .Configure(app => app.UseDeveloperExceptionPage().UseRouting().UseEndpoints(endpoints =>
                {
                    endpoints.MapControllers();
                    endpoints.MapGet("/plain/{id:int}", context =>
                    {
                        string id = (string)context.Request.RouteValues["id"];
                        return context.Response.WriteAsync($"plain {id}"); // @plain
                    });
                    endpoints.MapGet("/fails", async context =>
                    {
                        await Task.Delay(1);
                        throw new InvalidOperationException("by the endpoint"); // @fails
                    });
                    endpoints.MapGet("/later/{id:int}", async context =>
                    {
                        string id = (string)context.Request.RouteValues["id"];
                        await Task.Delay(1);
                        await context.Response.WriteAsync($"later {id}"); // @later
                    });
                }))).Build().Run();
        }

        // A hit while the finalizer or the thread pool prepares its first method can deadlock the runtime (decision 0010).
        private static void Settle()
        {
            Leave();
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Task.Delay(20).Wait();
        }

        private static void Leave() => new WeakReference<object>(new object());
    }

    [ApiController]
    [Route("item")]
    public class ItemController : ControllerBase
    {
        [HttpGet("{id:int}")]
        public async Task<string> Get(int id)
        {
            await Task.Yield();
            return $"item {id}"; // @item
        }
    }
}
