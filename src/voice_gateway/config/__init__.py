"""One frozen settings tree, read once: command line over environment over file over default."""

from voice_gateway.config.folders import control_file, conversations_file, data_folder, web_token_file
from voice_gateway.config.kinds import SHORTEST_PIN, Section
from voice_gateway.config.load import Loaded, load, named_file
from voice_gateway.config.servers import SIMULATED_HOME
from voice_gateway.config.tree import (
    AnthropicSettings,
    AutonomySetting,
    BrainSettings,
    EventSettings,
    HomeSettings,
    LeftOut,
    McpSettings,
    MqttSettings,
    OllamaSettings,
    PermissionSettings,
    RecorderSettings,
    RoutinesSettings,
    ServerSettings,
    Settings,
    SeveralSteps,
    ToolsSettings,
    VoiceSettings,
    WebSettings,
)

__all__ = [
    "SHORTEST_PIN",
    "SIMULATED_HOME",
    "AnthropicSettings",
    "AutonomySetting",
    "BrainSettings",
    "EventSettings",
    "HomeSettings",
    "LeftOut",
    "Loaded",
    "McpSettings",
    "MqttSettings",
    "OllamaSettings",
    "PermissionSettings",
    "RecorderSettings",
    "RoutinesSettings",
    "Section",
    "ServerSettings",
    "Settings",
    "SeveralSteps",
    "ToolsSettings",
    "VoiceSettings",
    "WebSettings",
    "control_file",
    "conversations_file",
    "data_folder",
    "load",
    "named_file",
    "web_token_file",
]
