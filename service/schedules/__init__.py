"""Submit batches again and again, at the times that schedules name.

``zones``        moments of a time zone, also where its clocks are set forward or back
``timetables``   the due times of an interval or a cron line
``agenda``       what becomes of the due times that have come: fired, queued or missed
``interfaces``   what the runner needs of the database
``runner``       waits for due times and submits their batches, each once
"""
