"""Phones at other places: their sites and the sites' clients meet at an MQTT broker.

``site``                      beside the phones: executes requests on the gateway of the site
``cluster``                   where runs are: ``MqttGateway``, a gateway to the phones of sites

``settings``                  settings of the broker, the link, the site and the gateway
``link``                      the interface of a link to a broker, its counts, the decoding of messages
``mqtt_link``                 a link over MQTT: two ``reconnecting_connection``, each over ``mqtt_connection``
``picture_chunks``            pictures, split into chunks and assembled
"""
