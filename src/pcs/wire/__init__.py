"""What goes over the wire: the shapes of the API's answers and of webhook events, one for both."""
