package dfe;

import java.util.Map;

import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.server.policy.CreateTopicPolicy;

/** Caps the size of messages, as hosted clusters do. */
public class Cap implements CreateTopicPolicy {
    private static final long MOST = 8388608;

    @Override
    public void validate(RequestMetadata topic) {
        String bytes = topic.configs().get("max.message.bytes");
        if (bytes != null && Long.parseLong(bytes) > MOST) {
            throw new PolicyViolationException("max.message.bytes " + bytes + " of topic " + topic.topic()
                + " exceeds the " + MOST + " this cluster allows");
        }
    }

    @Override
    public void configure(Map<String, ?> configs) {}

    @Override
    public void close() {}
}
