"""Submit goals to a service, wait for them, and print what came of each.

manyhands login http://127.0.0.1:8008
python docs/examples/service_batch.py
"""

from manyhands import Client

GOALS = ("Turn on dark mode.", "Send this greeting to Alice Carter in Messages: Good luck with the move today!")

with Client() as client:
    batch = client.submit(goal=GOALS, name="evening")
    print(f"{batch.id}: {batch.tasks} tasks")
    batch = client.wait(batch, timeout_s=1800)
    for task in client.tasks(batch=batch):
        print(f"{task.id} on {task.phone}: {'done' if task.is_done else task.reason}")
