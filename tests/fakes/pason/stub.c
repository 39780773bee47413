/* The organisers' stub: asks for a client token, prints it, and leaves.
 *
 *     stub HOST TOKEN TEAM PASSWORD
 */
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#if ZMQ_VERSION_MAJOR < 3
#define zmq_msg_send(part, socket, flags) zmq_send(socket, part, flags)
#define zmq_msg_recv(part, socket, flags) zmq_recv(socket, part, flags)
#endif

int main(int count, char** words) {
    char text[1000];
    void* context;
    void* commands;
    zmq_msg_t request, reply;
    int connected;

    if (count != 5) return 64;
    context = zmq_init(1);
    commands = zmq_socket(context, ZMQ_REQ);
    snprintf(text, sizeof text, "tcp://%s:5557", words[1]);
    if (zmq_connect(commands, text) != 0) return 70;
    snprintf(text, sizeof text,
             "{\"comm_type\": \"MatchConnect\", \"match_token\": \"%s\",\n"
             " \"team_name\": \"%s\", \"password\": \"%s\"}",
             words[2], words[3], words[4]);
    zmq_msg_init_size(&request, strlen(text));
    memcpy(zmq_msg_data(&request), text, strlen(text));
    if (zmq_msg_send(&request, commands, 0) < 0) return 70;
    zmq_msg_close(&request);
    zmq_msg_init(&reply);
    if (zmq_msg_recv(&reply, commands, 0) < 0) return 70;
    printf("%.*s\n", (int)zmq_msg_size(&reply), (char*)zmq_msg_data(&reply));
    connected = zmq_msg_size(&reply) < sizeof text;
    if (connected) {
        memcpy(text, zmq_msg_data(&reply), zmq_msg_size(&reply));
        text[zmq_msg_size(&reply)] = 0;
        connected = strstr(text, "\"MatchConnectResp\"") != NULL;
    }
    zmq_msg_close(&reply);
    zmq_close(commands);
    zmq_term(context);
    return connected ? 0 : 2;
}
