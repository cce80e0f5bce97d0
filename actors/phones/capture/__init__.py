"""Take screenshots of a phone, from the frames of any transport.

``screenshots``    screenshots once the screen is at rest: the protocol ``FrameSource``, and ``Screenshots`` over it
``decoded_frame``  frames, with what they are compared by
"""
